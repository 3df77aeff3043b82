import { posix } from 'node:path';
import { isNode, walk, type SourceFile, type Violation } from './sourceFile.ts';

/** Room → the rooms it may import, or `all`. */
type RoomTable = Map<string, ReadonlySet<string> | 'all'>;

/** Reads the table `| room | noun | may import |` of src/README.md. */
export function readRooms(markdown: string): RoomTable {
  const rooms: RoomTable = new Map();
  for (const line of markdown.split('\n')) {
    const row = /^\|\s*([a-z-]+)\/\s*\|.*\|\s*([^|]*?)\s*\|$/.exec(line);
    if (row)
      rooms.set(
        row[1]!,
        row[2] === 'all' ? 'all' : new Set(row[2] === '–' ? [] : row[2]!.split(',').map((room) => room.trim())),
      );
  }
  return rooms;
}

/** Relative imports of a file, types and `import()` too, as paths from the root. */
export function importsOf(file: SourceFile): string[] {
  const found: string[] = [];
  walk(file, (node) => {
    // The four forms: import … from, export … from, import(…), and import('…').Type within a type.
    const { source } = node;
    if (isNode(source) && typeof source['value'] === 'string' && source['value'].startsWith('.'))
      found.push(source['value']);
  });
  return found.map((path) => posix.join(posix.dirname(file.path), path));
}

/** STYLE 1: imports run one way, as the table says, and nothing imports bin. */
export function forbiddenEdges(files: readonly SourceFile[], rooms: RoomTable): Violation[] {
  return files.flatMap((file) => {
    const room = roomOf(file.path);
    const allowed = rooms.get(room);
    if (!allowed)
      return [`${file.path}: the room ${room}/ is not in the table of src/README.md; give it a row, or move the file`];
    return importsOf(file).flatMap((target) => {
      const other = roomOf(target);
      if (other === room) return [];
      if (other === 'bin')
        return [`${file.path} imports ${target}: nothing imports bin/; move what is needed down into a room`];
      if (!target.startsWith('src/'))
        return [`${file.path} imports ${target}: only src/ is compiled; read it as a file, or move it there`];
      if (allowed === 'all' || allowed.has(other)) return [];
      const list = [...allowed].join(', ') || 'nothing';
      return [
        `${file.path} imports ${target}: ${room}/ may import ${list}; hand the thing in, or move it into a room that both may import`,
      ];
    });
  });
}

function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** STYLE 1: files that import each other in a ring, each ring once. */
export function importRings(files: readonly SourceFile[]): Violation[] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  const done = new Set<string>();
  const trail: string[] = [];
  const rings: Violation[] = [];
  const visit = (path: string) => {
    if (trail.includes(path)) {
      rings.push(
        `${[...trail.slice(trail.indexOf(path)), path].join(' → ')} is a ring: move what both need into a file of its own`,
      );
    } else if (!done.has(path)) {
      trail.push(path);
      for (const target of imports.get(path) ?? []) visit(target);
      trail.pop();
      done.add(path);
    }
  };
  for (const path of imports.keys()) visit(path);
  return rings;
}
