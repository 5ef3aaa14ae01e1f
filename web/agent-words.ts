import type { Agent } from '../domain/agent.ts';

type Rights = Pick<
  Agent,
  'scope' | 'can_read' | 'can_write' | 'can_create' | 'can_delete' | 'can_execute_code' | 'confirmation'
>;

const list = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** Longer lists say less than how many they are; the form has them all. */
const MOST_LETTERS = 60;

const EVERYWHERE = new Set(['*', '/', '/*']);

/** ` under /drafts and /notes`, or nothing where every folder is meant. */
function place({ folders }: Rights['scope']): string {
  const isBounded = folders !== undefined && !folders.some((folder) => EVERYWHERE.has(folder));
  if (!isBounded) return '';
  const names = folders.map((folder) => folder.replace(/\/\*?$/, ''));
  return names.length === 0
    ? ' in no folder'
    : ` under ${list(names).length > MOST_LETTERS ? `${names.length} folders` : list(names)}`;
}

function typesOf({ file_types }: Rights['scope']): string {
  if (!file_types) return '';
  const all = list(file_types);
  return all.length > MOST_LETTERS ? 'some kinds of files' : `${all} files`;
}

/** Whose policy counts for an operation; files are also made by write_file. */
const TOOLS_OF = {
  write: ['write_file'],
  create: ['create_file', 'write_file'],
  delete: ['delete_file'],
  execute: ['command'],
} as const;

const policyOf = ({ confirmation }: Rights, operation: keyof typeof TOOLS_OF) =>
  TOOLS_OF[operation].map((tool) => confirmation[tool]).find((policy) => policy !== undefined) ?? 'always';

/** What an agent may do, in words: "Reads everything. Writes and creates under /drafts, after asking." */
export function rightsInWords(agent: Rights): string[] {
  if (agent.scope.notebooks?.length === 0 || agent.scope.notebooks === undefined)
    return ['May not touch any notebook.'];
  const may = (operation: 'read' | 'write' | 'create' | 'delete' | 'execute', flag: boolean): boolean =>
    flag && (agent.scope.operations?.includes(operation) ?? true);
  const under = place(agent.scope);
  const types = typesOf(agent.scope);
  const read = types === '' && under === '' ? 'everything' : `${types || 'files'}${under}`;
  const sentences = [may('read', agent.can_read) ? `Reads ${read}.` : 'Reads nothing.'];

  const changes = [
    { verb: 'writes', operation: 'write' as const, flag: agent.can_write },
    { verb: 'creates', operation: 'create' as const, flag: agent.can_create },
    { verb: 'deletes', operation: 'delete' as const, flag: agent.can_delete },
    { verb: 'runs commands', operation: 'execute' as const, flag: agent.can_execute_code },
  ].filter(({ operation, flag }) => may(operation, flag));
  const manners = {
    always: ', after asking',
    first_time: ', after asking once',
    never: ', without asking',
  };
  for (const policy of ['always', 'first_time', 'never'] as const) {
    const asked = changes.filter(({ operation }) => policyOf(agent, operation) === policy);
    const verbs = asked.filter(({ operation }) => operation !== 'execute').map(({ verb }) => verb);
    const sentence = `${list(verbs)}${types && ` ${types}`}${under}${manners[policy]}.`;
    if (verbs.length > 0) sentences.push(sentence.charAt(0).toUpperCase() + sentence.slice(1));
    // Which files a command touches is not said by folders and types.
    if (verbs.length < asked.length) sentences.push(`Runs commands${manners[policy]}.`);
  }
  if (changes.length === 0) sentences.push('Changes nothing.');
  return sentences;
}
