// `npm start` and `npm test` run this first, on a machine that may have nothing but Node. It is plain JavaScript with
// Node's own modules only, and this file must parse on an old Node too.
//
//     node src/bin/setup.mjs                 set up and exit
//     node src/bin/setup.mjs packages        only the npm packages, all of them
//     node src/bin/setup.mjs build           the same, but without the programs that tests and the embedded servers need
//     node src/bin/setup.mjs start [arg …]   then `rain up [arg …]`, in this process
//     node src/bin/setup.mjs test [arg …]    then the tests, with their exit code
//     node src/bin/setup.mjs test:long [arg …]  then the long tests
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    'Node ' + process.versions.node + ' is too old: red-packet rain needs Node 20.19 or newer (https://nodejs.org).',
  );
  process.exit(1);
} else {
  // A failure ends the process with its stack: nothing else runs here.
  void import('./setup/main.mjs').then(({ main }) => main(process.argv.slice(2)));
}
