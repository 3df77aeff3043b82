// To be imported first by workers: a library calls what Chromium before 93 and Safari before 15.4 lack.
const known = Object as { hasOwn?: (object: object, name: PropertyKey) => boolean };
known.hasOwn ??= (object, name) => Object.prototype.hasOwnProperty.call(object, name);
