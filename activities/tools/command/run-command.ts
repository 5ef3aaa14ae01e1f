import { headAndTail, type NewEvidence, type TestReport } from '../../../domain/evidence.ts';
import { Failure } from '../../../domain/failures.ts';
import { notebookSetup } from '../../../store/notebook-upkeep.ts';
import { gitCopyOf } from '../../sandbox/git-copy.ts';
import type { SetupPlace } from '../../sandbox/setups.ts';
import type { CommandOutcome } from '../../sandbox/spec.ts';
import type { OutsideContext, Preview, ToolContext } from '../contract.ts';
import { DEFAULT_TIMEOUT_S, guardCommand, inShell, sandboxOf, shownCommand, workingFolder } from './command-input.ts';

export interface Wanted {
  operation: 'run' | 'test';
  argv: string[];
  cwd?: string | undefined;
  timeout_s?: number | undefined;
  env?: Record<string, string> | undefined;
}

const placeOf = ({ notebook_id, files, checkout }: ToolContext): SetupPlace => ({
  notebook_id,
  root: files.root,
  checkout,
});

const evidenceOf = (
  { operation, argv, cwd, network }: { operation: string; argv: readonly string[]; cwd: string; network: boolean },
  confinement: string,
  { output, ...outcome }: CommandOutcome,
  report: TestReport | null,
): NewEvidence => ({
  operation,
  argv: [...argv],
  cwd: `/${cwd}`,
  network,
  confinement,
  ...outcome,
  report,
  output,
});

/** A person sees what will run, where, and with what. */
export async function previewCommand(wanted: Wanted, context: OutsideContext): Promise<Preview> {
  const notebook = await context.notebook();
  guardCommand(notebook);
  const cwd = await workingFolder(wanted.cwd, notebook);
  const setup = await notebookSetup(context.org_id, notebook.notebook_id);
  const isDue = (await context.setups?.isDue(setup, placeOf(notebook))) ?? false;
  const lines = [
    ...(isDue ? setup.commands.map((command) => `$ ${command}  (set-up of the notebook)`) : []),
    `$ ${shownCommand(wanted.argv)}`,
    '',
    `in /${cwd}, at most ${wanted.timeout_s ?? DEFAULT_TIMEOUT_S} s, ${context.agent.command_network ? 'with the public network' : 'without network'}`,
    ...Object.keys(wanted.env ?? {}).map((name) => `${name}=${wanted.env?.[name]}`),
  ];
  return { path: null, preview: lines.join('\n'), base_hash: null };
}

const CUT_SHORT: Record<NonNullable<CommandOutcome['cut']>, string> = {
  timeout: 'It took longer than it may, and was ended with everything it had started.',
  cancelled: 'It was ended because the run was.',
  memory: 'It took more memory than it may, and was ended.',
  processes: 'It started more processes than it may, and was ended.',
  disk: 'It wrote more than it may, and was ended.',
};

/** Set-up first where it is due; then the command, whose outcome is told whatever it is. */
export async function runCommand(
  wanted: Wanted,
  context: OutsideContext,
  read: (output: string) => TestReport | null = () => null,
): Promise<{ outcome: CommandOutcome; report: TestReport | null; told: Record<string, unknown> }> {
  const notebook = await context.notebook();
  guardCommand(notebook);
  const sandbox = sandboxOf(context);
  const cwd = await workingFolder(wanted.cwd, notebook);
  const { how } = sandbox.confinement();
  const setup = await notebookSetup(context.org_id, notebook.notebook_id);
  let setUps = 0;
  await context.setups?.ensure(setup, placeOf(notebook), {
    sandbox,
    signal: context.signal,
    heard: context.output,
    argvOf: inShell,
    ran: async (argv, outcome) => {
      const about = { operation: 'setup', argv, cwd: '', network: setup.network };
      setUps += 1;
      await context.keep(evidenceOf(about, how, outcome, null), `setup-${setUps}`);
    },
  });
  const network = context.agent.command_network;
  const outcome = await sandbox.run({
    ...(notebook.checkout && sandbox.isConfined ? await gitCopyOf(notebook.checkout) : {}),
    argv: wanted.argv,
    root: notebook.files.root,
    cwd,
    env: wanted.env ?? {},
    network,
    timeout_ms: (wanted.timeout_s ?? DEFAULT_TIMEOUT_S) * 1000,
    signal: context.signal,
    heard: context.output,
  });
  const report = read(outcome.output);
  const evidence_id = await context.keep(evidenceOf({ ...wanted, cwd, network }, how, outcome, report));
  if (outcome.cut === 'cancelled') {
    throw new Failure('interrupted', 'The command was ended before it was done.', { interrupted: true, evidence_id });
  }
  const told = {
    exit_code: outcome.exit_code,
    ...(outcome.signal ? { signal: outcome.signal } : {}),
    ...(outcome.cut ? { cut: outcome.cut, why: CUT_SHORT[outcome.cut] } : {}),
    duration_ms: outcome.duration_ms,
    ...headAndTail(outcome.output, context.call_id),
    evidence_id,
  };
  return { outcome, report, told };
}
