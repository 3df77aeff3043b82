import { onUnmounted, ref, shallowRef } from 'vue';
import { createRainClient } from 'red-packet-rain-client';

/**
 * One connection for the life of the component, to the first rain that is planned.
 * @param {string} url the gateway's
 * @param {() => Promise<string>} token asks your server for the user's token
 * @returns `rain`: its snapshot, once there is one; `told`: the last outcome of `grab`; `won`: the user's packet
 */
export function useRain(url, token) {
  const [rain, won, told] = [shallowRef(), shallowRef(), ref()];
  const client = createRainClient({ url, token });
  client.on('won', (packet) => {
    won.value = packet;
  });
  client.on('rain', (snapshot) => {
    if (!rain.value || rain.value.rainId === snapshot.rainId) rain.value = snapshot;
  });
  client
    .connect()
    .then(({ rains: [first] }) => first && client.join(first.rainId))
    .catch(({ code = 'failed' }) => {
      told.value = { kind: code };
    });
  onUnmounted(() => client.close());
  return {
    rain,
    won,
    told,
    async grab() {
      told.value = await client.grab(rain.value.rainId);
    },
  };
}
