const GROUPS = [
  'On this page',
  'Go to',
  'Actions',
  'Agents',
  'Workflows',
  'Chats',
  'Recent runs',
  'Files',
  'Workspaces',
] as const;
export type Group = (typeof GROUPS)[number];

/** There may be thousands of them, and nobody reads more than these: a word more finds the others. */
const MOST: Partial<Record<Group, number>> = { Agents: 8, Workflows: 8, Chats: 6, 'Recent runs': 8, Files: 6 };

interface Named {
  id: string;
  group: Group;
  name: string;
  aside?: string;
}

const fits = ({ name, aside = '', group, id }: Named, words: readonly string[]): boolean => {
  const text = `${name} ${aside} ${group} ${id}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

/** What is called so comes before what only has it somewhere. */
const distance = ({ name }: Named, words: readonly string[]): number => {
  const own = name.toLowerCase();
  if (own.startsWith(words.join(' '))) return 0;
  return words.every((word) => own.includes(word)) ? 1 : 2;
};

/** Those that fit what is typed, group by group, and no more of a kind than one reads. */
export function foundCommands<T extends Named>(commands: readonly T[], text: string): T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = GROUPS.map((group) =>
    commands
      .filter((command) => command.group === group && fits(command, words))
      .toSorted((a, b) => distance(a, words) - distance(b, words))
      .slice(0, MOST[group]),
  ).filter((found) => found.length > 0);
  const best = ([first]: T[]): number => (first ? distance(first, words) : 2);
  return groups.toSorted((a, b) => best(a) - best(b)).flat();
}
