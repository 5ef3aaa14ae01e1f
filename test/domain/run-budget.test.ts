import { expect, it } from 'vitest';
import { budgetFor } from '../../domain/run-budget.ts';
import { agentWith } from './told.ts';

it.each([
  ['on a folder, where the agent sets none', 'folder', {}, {}, 50],
  ['on a git notebook, where the agent sets none', 'git', {}, {}, 24],
  ['on a git notebook, where the agent sets what is the default elsewhere', 'git', { max_iterations: 50 }, {}, 50],
  ['on a git notebook, where the agent sets more', 'git', { max_iterations: 60 }, {}, 60],
  ['on a git notebook, where the agent sets less', 'git', { max_iterations: 10 }, {}, 10],
  ['on a git notebook, where the caller wants less', 'git', {}, { max_iterations: 5 }, 5],
  ['on a git notebook, where the caller wants more', 'git', {}, { max_iterations: 40 }, 24],
  ['without a notebook', null, {}, {}, 50],
] as const)('[6] model calls of a run %s', (_where, notebook, agent, wanted, expected) => {
  expect(budgetFor(agentWith(agent), wanted, notebook).max_iterations).toBe(expected);
});
