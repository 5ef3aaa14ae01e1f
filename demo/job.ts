import { isRecord } from '../domain/json-value.ts';
import type { ToolSchema } from '../domain/model.ts';
import type { Done } from './conversation.ts';

export interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** What the demo model says next, and the tools it calls with it; without calls it is the final answer. */
export interface Move {
  text: string;
  calls: Call[];
}

export const say = (text: string): Move => ({ text, calls: [] });
export const use = (text: string, ...calls: Call[]): Move => ({ text, calls });

export const clean = (path: string): string => path.replace(/^\.?\/+/, '');
const samePath = (a: unknown, b: string): boolean => typeof a === 'string' && clean(a) === clean(b);

/** Tools that do the same; of several that are offered the first is taken. */
const FAMILIES = {
  list: [/^list_files$/],
  read: [/^read_file$/],
  search: [/^search_project$/, /^search_content$/],
  write: [/^write_file$/],
  propose: [/^propose_edits$/],
  change: [/^propose_edits$/, /^write_file$/],
  create: [/^create_file$/, /^write_file$/],
  delete: [/^delete_file$/],
  ask: [/^clarify_user$/],
  delegate: [/^delegate_to_/],
  command: [/command/, /^run_/],
  git: [/^git$/],
} as const;
export type Family = keyof typeof FAMILIES;

const IN_WORDS: Record<Family, string> = {
  list: 'list files',
  read: 'read files',
  search: 'search',
  write: 'change files',
  propose: 'propose edits',
  change: 'change files',
  create: 'create files',
  delete: 'delete files',
  ask: 'ask you',
  delegate: 'delegate to other agents',
  command: 'run commands',
  git: 'work with git',
};

const SPELLINGS: Record<string, string[]> = { path: ['path', 'file_path', 'prefix'], query: ['query', 'pattern'] };

export interface FileText {
  path: string;
  content: string;
}

export interface SearchHit {
  path: string;
  line: number;
  text: string;
}

/** One instruction and how far it has come: everything a skill decides from. */
export class Job {
  constructor(
    readonly tools: ToolSchema[],
    readonly done: Done[],
  ) {}

  tool(family: Family): ToolSchema | undefined {
    return FAMILIES[family].flatMap((name) => this.tools.filter((tool) => name.test(tool.name)))[0];
  }

  /** A call in the spelling of the tool that is offered. */
  call(family: Family, wanted: Record<string, unknown>): Call {
    const tool = this.tool(family);
    const known = isRecord(tool?.parameters.properties) ? Object.keys(tool.parameters.properties) : [];
    const spelled = Object.entries(wanted).map(([name, value]) => [
      SPELLINGS[name]?.find((spelling) => known.includes(spelling)) ?? name,
      value,
    ]);
    return { name: tool?.name ?? family, arguments: Object.fromEntries(spelled) };
  }

  /** Says what is missing where a skill needs tools that this agent has not been given. */
  lacks(families: readonly Family[]): Move | null {
    const missing = families.filter((family) => !this.tool(family)).map((family) => IN_WORDS[family]);
    if (missing.length === 0) return null;
    return say(`This agent has no tool to ${missing.join(' or to ')}, so I did nothing.`);
  }

  of(family: Family): Done[] {
    return this.done.filter((call) => FAMILIES[family].some((name) => name.test(call.name)));
  }

  get failures(): Done[] {
    return this.done.filter((call) => !call.ok);
  }

  /** Paths of the last list that came back, null where nothing was listed yet. */
  get listed(): string[] | null {
    const last = this.of('list').findLast((call) => call.ok);
    if (!last) return null;
    const found = isRecord(last.value) ? (last.value.files ?? last.value.items) : last.value;
    const items = Array.isArray(found) ? found : last.text.split('\n');
    return items.flatMap((item) => (isRecord(item) ? String(item.path ?? item.name ?? '') : String(item)).trim() || []);
  }

  get hits(): SearchHit[] {
    return this.of('search').flatMap((call) => {
      const found = isRecord(call.value) ? (call.value.results ?? call.value.matches) : call.value;
      const query = String(call.arguments.query ?? call.arguments.pattern ?? '').toLowerCase();
      return (Array.isArray(found) ? found.filter(isRecord) : []).flatMap((hit) => linesOf(hit, query));
    });
  }

  /** What has been read of a file, over as many reads as it took. */
  file(path: string): { content: string; next_line: number | null; failed: Done | null } | null {
    const reads = this.of('read').filter((call) => samePath(call.arguments.path ?? call.arguments.file_path, path));
    const last = reads.at(-1);
    if (!last) return null;
    const parts = reads
      .filter((call) => call.ok)
      .map((call) => (isRecord(call.value) ? String(call.value.content ?? '') : call.text));
    const isCut = isRecord(last.value) && last.value.truncated === true && typeof last.value.end_line === 'number';
    return {
      content: parts.join(''),
      next_line: isCut && isRecord(last.value) ? Number(last.value.end_line) + 1 : null,
      failed: last.ok ? null : last,
    };
  }

  /** The calls that are still needed to know these files, at most `batch` of them. */
  missing(paths: string[], batch: number): Call[] {
    const calls = paths.flatMap((path) => {
      const known = this.file(path);
      if (!known) return this.call('read', { path });
      return known.next_line === null ? [] : this.call('read', { path, start_line: known.next_line });
    });
    return calls.slice(0, batch);
  }

  texts(paths: string[]): FileText[] {
    return paths.flatMap((path) => {
      const known = this.file(path);
      return known && !known.failed ? { path: clean(path), content: known.content } : [];
    });
  }
}

/** A hit may come with lines around it: cite the line that holds the words. */
function linesOf(hit: Record<string, unknown>, query: string): SearchHit[] {
  const path = clean(String(hit.file_path ?? hit.path ?? hit.file ?? ''));
  const first = Number(hit.start_line ?? hit.line ?? hit.line_number ?? 1);
  const lines = String(hit.snippet ?? hit.text ?? hit.content ?? '').split('\n');
  const found = lines.flatMap((text, index) =>
    text.toLowerCase().includes(query) ? { path, line: first + index, text: text.trim() } : [],
  );
  return found.length > 0 ? found : [{ path, line: first, text: (lines[0] ?? '').trim() }];
}

const WHY: Record<string, string> = {
  scope_violation: 'that is outside of what this agent may do',
  denied: 'you refused it',
  interrupted: 'it was cut off and I do not know whether it happened',
};

/** One plain sentence about a call that failed. */
export function explain(call: Done): string {
  const target = call.arguments.path ?? call.arguments.file_path ?? call.arguments.query;
  const what = typeof target === 'string' ? `${call.name} on ${clean(target) || 'the notebook'}` : call.name;
  const why = WHY[call.code ?? ''];
  const told = (call.error ?? '').replace(/\.$/, '');
  return why ? `${what} did not work: ${why} (${told}).` : `${what} did not work: ${told}.`;
}

export const files = (count: number): string => (count === 1 ? '1 file' : `${count} files`);

export const withProblems = (text: string, calls: Done[]): string =>
  calls.length === 0 ? text : `${text}\n\nWhat did not work:\n${calls.map((call) => `- ${explain(call)}`).join('\n')}`;
