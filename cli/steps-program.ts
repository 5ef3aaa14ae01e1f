import { type Command, Option } from 'commander';
import { later } from './later.ts';

const json = (what: string) => new Option('--json', what);

/** What a run did step by step, why, and a word to it while it works. */
export function addStepsCommands(program: Command): void {
  program
    .command('steps')
    .description('list what a run did, step by step, with the numbers that fork and explain take')
    .argument('<run>', 'its id')
    .addOption(json('print every step as a JSON object on a line of its own'))
    .action(later(async () => (await import('./steps.ts')).stepsCommand));
  program
    .command('explain')
    .description('say why a run took a step; its model is asked the first time')
    .argument('<run>', 'its id')
    .argument('<step>', 'number of the step')
    .addOption(json('print one JSON object'))
    .action(later(async () => (await import('./steps.ts')).explainCommand));
  program
    .command('steer')
    .description('say something to a run that is at work; it reads it at its next turn')
    .argument('<run>', 'its id')
    .argument('<words...>', 'what it is to know')
    .action(later(async () => (await import('./steps.ts')).steerCommand));
}
