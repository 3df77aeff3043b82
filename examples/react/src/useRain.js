import { useCallback, useEffect, useState } from 'react';
import { createRainClient } from 'red-packet-rain-client';

/**
 * One connection for the life of the component, to the first rain that is planned.
 * @param {string} url the gateway's
 * @param {() => Promise<string>} token asks your server for the user's token
 * @returns `rain`: its snapshot, once there is one; `told`: the last outcome of `grab`; `won`: the user's packet
 */
export function useRain(url, token) {
  const [client, setClient] = useState();
  const [rain, setRain] = useState();
  const [told, setTold] = useState();
  const [won, setWon] = useState();

  useEffect(() => {
    const made = createRainClient({ url, token });
    made.on('won', setWon);
    made.on('rain', (snapshot) => setRain((known) => (!known || known.rainId === snapshot.rainId ? snapshot : known)));
    made
      .connect()
      .then(({ rains: [first] }) => first && made.join(first.rainId))
      .catch(({ code = 'failed' }) => code !== 'closed' && setTold({ kind: code }));
    setClient(made);
    return () => made.close();
  }, [url, token]);

  const grab = useCallback(async () => setTold(await client.grab(rain.rainId)), [client, rain?.rainId]);
  return { rain, told, won, grab };
}
