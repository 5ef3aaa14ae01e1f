import fc from 'fast-check';
import type { ProposedEdit } from '../../../domain/edits/edit.ts';
import { composeBundle, type FileBundle } from '../../../domain/edits/hunks.ts';
import { BOM, EMPTY_HASH, fileLines, linesOf, textHash } from '../../../domain/edits/text.ts';

export const PATH = '/notes/a.md';

/** As it lies on disk: what looks alike may differ in a BOM, in a line end, or in half a character. */
export const onDisk = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text, 'utf8'));

/** Few words, so that lines repeat, and some that are awkward in a patch. */
const WORDS = [
  '',
  'a',
  'b',
  'c',
  ' ',
  '-',
  '+',
  '\\ No newline at end of file',
  '@@ -1 +1 @@',
  'ü→😀',
  'tab\t',
  'cr\rin',
  '---',
];
const anyLine = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 500 }).map((n) => `line ${n}`) },
);

export type Ends = 'lf' | 'crlf' | 'mixed';
const anyEnds: fc.Arbitrary<Ends> = fc.constantFrom('lf', 'lf', 'crlf', 'mixed');
const END = { lf: '\n', crlf: '\r\n' } as const;

/** Texts with all that must be kept: BOM, line ends, a final newline or none. */
export const anyTextWith = (ends: fc.Arbitrary<Ends>, maxLength = 25): fc.Arbitrary<string> =>
  fc
    .record({
      lines: fc.array(fc.tuple(anyLine, fc.boolean()), { maxLength }),
      ends,
      bom: fc.integer({ min: 0, max: 4 }),
      open: fc.integer({ min: 0, max: 2 }),
    })
    .map(({ lines, ends: kind, bom, open }) => {
      const body = lines.map(([line, crlf]) => line + (kind === 'mixed' ? (crlf ? '\r\n' : '\n') : END[kind])).join('');
      const text = (bom === 0 ? BOM : '') + body;
      return open === 0 ? text.replace(/\r?\n$/, '') : text;
    });
export const anyText = anyTextWith(anyEnds);

const anyNewText = fc
  .array(anyLine, { minLength: 1, maxLength: 6 })
  .map((lines) => lines.join('\n'))
  .chain((text) => fc.constantFrom(text, `${text}\n`))
  .map((text) => (text === '' ? 'x' : text));

/** Sound edits of a text, top to bottom, that leave some lines alone and sometimes touch. */
function anyEditsOf(text: string | null): fc.Arbitrary<ProposedEdit[]> {
  const lines = text === null ? null : fileLines(text);
  const steps = fc.array(
    fc.record({
      skip: fc.integer({ min: 0, max: 5 }),
      take: fc.integer({ min: 1, max: 4 }),
      operation: fc.constantFrom('replace' as const, 'insert' as const, 'delete' as const),
      new_text: anyNewText,
      rationale: fc.option(fc.constant('because'), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 8 },
  );
  return steps.map((chosen) => {
    const edits: ProposedEdit[] = [];
    let at = 0;
    const count = lines?.length ?? 0;
    for (const { skip, take, operation, new_text, rationale } of chosen) {
      at += skip;
      if (at > count) break;
      const isInsert = operation === 'insert' || at === count;
      const end = Math.min(count, at + take);
      const target = (lines ?? []).slice(at, isInsert ? at + 1 : end).join('');
      edits.push({
        edit_id: `e_${edits.length + 1}`,
        file_path: PATH,
        operation: isInsert ? 'insert' : operation,
        start_line: at + 1,
        ...(isInsert ? {} : { end_line: end }),
        new_text: !isInsert && operation === 'delete' ? '' : new_text,
        expected_hash: target === '' ? EMPTY_HASH : textHash(target),
        ...(rationale ? { rationale } : {}),
      });
      if (!isInsert) at = end;
    }
    return edits;
  });
}

/** A file, edits of it, and their bundle. */
export interface Proposal {
  base: string | null;
  edits: ProposedEdit[];
  bundle: FileBundle;
}

export function proposalOf(base: string | null, edits: ProposedEdit[]): Proposal {
  const { files, problems } = composeBundle(edits, () => (base === null ? null : { text: base }));
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join(' '));
  const hash = base === null ? null : textHash(base);
  return { base, edits, bundle: files[0] ?? { file_path: PATH, base_file_hash: hash, hunks: [] } };
}

export const anyProposalOf = (text: fc.Arbitrary<string | null>): fc.Arbitrary<Proposal> =>
  text.chain((base) => anyEditsOf(base).map((edits) => proposalOf(base, edits)));
export const anyProposal = anyProposalOf(
  fc.oneof({ weight: 20, arbitrary: anyText }, { weight: 1, arbitrary: fc.constant(null) }),
);

/** The same text after a person has been at it. */
export const anyRewriteOf = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 3 }), fc.array(anyLine, { maxLength: 3 })), { maxLength: 3 })
    .chain((spots) =>
      fc.constantFrom('', '\n').map((end) => {
        const lines = linesOf(text);
        for (const [spot, removed, added] of spots) {
          lines.splice(spot % (lines.length + 1), removed, ...added.map((line) => `${line}\n`));
        }
        const joined = lines
          .map((line, i) => (i < lines.length - 1 && !line.endsWith('\n') ? `${line}\n` : line))
          .join('');
        return joined.replace(/\r?\n$/, '') + end;
      }),
    );
