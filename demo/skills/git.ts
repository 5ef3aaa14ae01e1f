import { isRecord } from '../../domain/json-value.ts';
import type { Done } from '../conversation.ts';
import { type Call, explain, Job, type Move, say, use } from '../job.ts';
import type { Skill } from './contract.ts';
import { append, create } from './create.ts';
import { remove } from './delete.ts';
import { replace } from './replace.ts';

const BRANCH =
  /\b(?:on|make|create|use)\s+(?:a |the )?(?:new )?branch\s+(?:called |named )?[`"']?([\w][\w./-]*[\w])[`"']?/i;
/** What is to become of the change; what stands before it is the change. */
const COMMIT = /[,.;]?\s*(?:and |then |and then )*commit\b(?! to)/i;

const CHANGES: Skill[] = [replace, create, append, remove];

const git = (operation: string, args: Record<string, unknown> = {}): Call => ({
  name: 'git',
  arguments: { operation, args },
});

const isGit = ({ name }: Done): boolean => name === 'git';

function textOf(value: unknown, name: string): string {
  return isRecord(value) && typeof value[name] === 'string' ? value[name] : '';
}

/** The change itself, by the rule that knows it; null once it is made. */
function change(wanted: string, job: Job): Move | null {
  const skill = CHANGES.find(({ words }) => words.test(wanted));
  if (!skill) return say('I know no rule for that change, so I have only made the branch.');
  const move = job.lacks(skill.needs) ?? skill.next(wanted, job);
  const hasChanged = [...job.of('write'), ...job.of('create'), ...job.of('delete')].some(({ ok }) => ok);
  return move.calls.length === 0 && hasChanged ? null : move;
}

export const onBranch: Skill = {
  example: 'on a branch fix/idea, create notes/idea.md with "Try a longer soak", commit and open a pull request',
  needs: ['git'],
  words: BRANCH,
  next(instruction, job) {
    const [clause = '', branch = ''] = BRANCH.exec(instruction) ?? [];
    const failed = job.done.find((call) => isGit(call) && !call.ok);
    if (failed) return say(explain(failed));
    const did = (operation: string) => job.done.find((call) => isGit(call) && call.arguments.operation === operation);
    if (!did('branch')) return use(`I make the branch ${branch}.`, git('branch', { name: branch }));
    const rest = instruction.slice(instruction.indexOf(clause) + clause.length).replace(/^[\s,:.;]+/, '');
    const [, ...after] = rest.split(COMMIT);
    const wanted = rest.slice(0, rest.search(COMMIT) >= 0 ? rest.search(COMMIT) : undefined);
    const making = change(
      wanted,
      new Job(
        job.tools,
        job.done.filter((call) => !isGit(call)),
      ),
    );
    if (making) return making;
    const message = wanted.charAt(0).toUpperCase() + wanted.slice(1, 72);
    if (!did('commit')) return use('I commit it.', git('commit', { message }));
    const commit = `\`${branch}\` is at ${textOf(did('commit')?.value, 'commit').slice(0, 10)}`;
    const what = after.join(' ');
    const isReviewed = /\bpull request\b|\bPR\b/.test(what);
    if (!isReviewed && !/\bpush\b/i.test(what)) return say(`Done: ${commit}. Nothing was pushed.`);
    if (!did('push')) return use('I push it.', git('push'));
    if (!isReviewed) return say(`Done: ${commit}, and pushed.`);
    if (!did('open_pr')) return use('I open a pull request.', git('open_pr', { title: message }));
    return say(`Done: ${commit}, and the pull request is ${textOf(did('open_pr')?.value, 'url')}.`);
  },
};
