import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { useRain } from './useRain.js';

const GATEWAY = import.meta.env.VITE_GATEWAY ?? 'wss://rain.example.com/v1';
const token = async () => (await fetch('/rain-token')).text();

function Rain() {
  const { rain, told, won, grab } = useRain(GATEWAY, token);
  return (
    <>
      <h1>{rain?.title ?? 'Red packets'}</h1>
      <p role="status">
        {won
          ? `You have won ${won.amount}!`
          : told
            ? told.kind.replaceAll('_', ' ')
            : rain
              ? 'Grab when it rains'
              : 'Connecting …'}
      </p>
      <button disabled={!rain} onClick={() => void grab()}>
        Grab
      </button>
    </>
  );
}

createRoot(document.getElementById('app')).render(
  <StrictMode>
    <Rain />
  </StrictMode>,
);
