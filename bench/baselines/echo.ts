// The lower bound: `ws`, every JSON message is parsed and sent back, without authentication and without any decision.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { listen } from './surroundings.ts';

const server = createServer();
new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
  socket.on('message', (data) => socket.send(JSON.stringify(JSON.parse(String(data)))));
  socket.send('{"type":"welcome"}');
});
listen(server);
