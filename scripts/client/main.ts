// `npm run pack:client`: makes the client's package, and says where it is and what is in it.
//
//     npm run pack:client -- [--to folder]
import { parseArgs } from 'node:util';
import { packClient } from './packClient.ts';

const { values } = parseArgs({ options: { to: { type: 'string', default: '.' } } });
const { file, bytes, files } = await packClient(values.to);
console.log(`${file}: ${files} files, ${Math.ceil(bytes / 1_000)} KB, no dependencies`);
console.log(`npm install ${file}`);
