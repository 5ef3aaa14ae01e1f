import { isMap, isScalar, parseDocument, stringify, type YAMLMap } from 'yaml';
import { Failure } from './failures.ts';

/** `---`, YAML, `---` at the very beginning of a file, after a byte order mark at most. */
// Lines end where YAML ends them: a name may hold what only other languages take for the end of one.
const BLOCK = /^(\ufeff?---[ \t]*\r?\n)((?:(?!---[ \t]*(?:\r?\n|$))[^\n]*(?:\n|$))*?)(---[ \t]*(?:\r?\n|$))/;

interface Split {
  open: string;
  yaml: string;
  close: string;
  rest: string;
}

function split(text: string): Split | null {
  const found = BLOCK.exec(text);
  if (!found) return null;
  const [whole, open = '', yaml = '', close = ''] = found;
  return { open, yaml, close, rest: text.slice(whole.length) };
}

function parsed(yaml: string) {
  const document = parseDocument(yaml);
  const [error] = document.errors;
  const problem = error?.message.split('\n')[0] ?? (isMap(document.contents) || !document.contents ? null : 'no names');
  if (problem !== null) throw new Failure('bad_frontmatter', `The frontmatter cannot be read: ${problem}.`);
  return document;
}

/** The frontmatter as values; null where there is none, or none that can be read. */
export function propertiesOf(text: string): unknown {
  const block = split(text);
  try {
    return block ? (parsed(block.yaml).toJS() ?? {}) : null;
  } catch {
    return null;
  }
}

const yamlOf = (name: string, value: unknown): string => stringify({ [name]: value }, { lineWidth: 0 });

/** From the line of each name to the line before the next; blank lines and comments in front of a name go with that. */
function segmentsOf(yaml: string, map: YAMLMap): { name: string; lines: string[] }[] {
  const lines = yaml.split(/(?<=\n)/);
  const lineAt = (offset: number): number => yaml.slice(0, offset).split('\n').length - 1;
  const names = map.items.flatMap(({ key }) =>
    isScalar(key) && key.range ? [{ name: String(key.value), line: lineAt(key.range[0]) }] : [],
  );
  const segments = [{ name: '', lines: lines.slice(0, names[0]?.line ?? lines.length) }];
  for (const [index, { name, line }] of names.entries()) {
    const own = lines.slice(line, names[index + 1]?.line ?? lines.length);
    const last = own.findLastIndex((text) => !/^(?:#.*|\s*)$/.test(text.trimEnd()));
    segments.push({ name, lines: own.slice(0, last + 1) }, { name: '', lines: own.slice(last + 1) });
  }
  return segments;
}

/** Only what stands in its own lines can be changed in its own lines. */
const isLineByLine = (map: YAMLMap, yaml: string): boolean =>
  !map.flow && !/[&*]\w/.test(yaml) && map.items.every(({ key }) => isScalar(key) && key.range);

function setInLines(yaml: string, map: YAMLMap, name: string, value: unknown): string {
  const segments = segmentsOf(yaml, map);
  const found = segments.find((segment) => segment.name === name);
  const end = yaml === '' || yaml.endsWith('\n') ? '' : '\n';
  if (!found) return value === null ? yaml : `${yaml}${end}${yamlOf(name, value)}`;
  const changed = () => {
    const one = parsed(found.lines.join(''));
    one.set(
      isMap(one.contents) && isScalar(one.contents.items[0]?.key) ? one.contents.items[0].key.value : name,
      value,
    );
    return [one.toString({ lineWidth: 0 })];
  };
  found.lines = value === null ? [] : changed();
  return segments.flatMap(({ lines }) => lines).join('');
}

function setOne(yaml: string, name: string, value: unknown): string {
  const document = parsed(yaml);
  const map = document.contents;
  if (!isMap(map)) return value === null ? yaml : `${yaml}${yamlOf(name, value)}`;
  if (isLineByLine(map, yaml)) return setInLines(yaml, map, name, value);
  if (value === null) document.delete(name);
  else document.set(name, value);
  return document.toString({ lineWidth: 0 });
}

/**
 * The text with properties set in its frontmatter, which is made where there is none. A property set to null is removed.
 * What is not named stays as it is, byte for byte: order, comments, quotes, blank lines.
 */
export function withProperties(text: string, properties: Record<string, unknown>): string {
  const block = split(text);
  const eol = /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n';
  const set = (yaml: string): string =>
    Object.entries(properties)
      .filter(([, value]) => value !== undefined)
      .reduce((done, [name, value]) => setOne(done, name, value), yaml.replaceAll('\r\n', '\n'))
      .replaceAll('\n', eol);
  if (block) {
    const yaml = set(block.yaml);
    return yaml === block.yaml ? text : `${block.open}${yaml}${block.close}${block.rest}`;
  }
  const yaml = set('');
  if (yaml === '') return text;
  const [mark, body] = text.startsWith('\ufeff') ? ['\ufeff', text.slice(1)] : ['', text];
  const gap = body === '' || /^\r?\n/.test(body) ? '' : eol;
  return `${mark}---${eol}${yaml}---${eol}${gap}${body}`;
}
