import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

/**
 * For project unit (see projects.ts), whose files share a thread: what starts or dials a server there belongs
 * elsewhere.
 */
function refuse(): never {
  throw new Error(
    'a test of project unit starts or dials something: import what does it in the test file or its support, which makes it one of project system',
  );
}

Server.prototype.listen = refuse;
Socket.prototype.connect = refuse;
Object.assign(ChildProcess.prototype, { spawn: refuse });
