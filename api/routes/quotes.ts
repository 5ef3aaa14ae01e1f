import type { Agent } from '../../domain/agent.ts';
import { inputText } from '../../domain/conversation.ts';
import { isFailure } from '../../domain/failures.ts';
import type { Caller } from '../../domain/identity.ts';
import { modelsOf } from '../../domain/model-choice.ts';
import { usdOf } from '../../domain/money.ts';
import { costMicros } from '../../domain/prices.ts';
import { type Price, quoteFor, quoteSchema } from '../../domain/quote.ts';
import { budgetFor } from '../../domain/run-budget.ts';
import { type StartRun, startRunBody } from '../../domain/run-requests.ts';
import { findAgent, findAgentByName } from '../../store/agents.ts';
import { findNotebook } from '../../store/notebooks.ts';
import { pastRuns } from '../../store/quotes.ts';
import { findSession } from '../../store/sessions.ts';
import { type Route, route } from '../route.ts';

const MOST_AGENTS = 50;

/** The whole input is taken as new to the provider's cache, which is the dearest it can be. */
const priceOf =
  (model: string): Price =>
  (input, output) => {
    const micros = costMicros(model, { input, output, cached: 0, cache_write: input });
    return usdOf(micros);
  };

/** The agent and all that work can come down to: any of them may use up the limits of the whole. */
async function withDelegates(caller: Caller, agent: Agent): Promise<Agent[]> {
  const all = new Map([[agent.id, agent]]);
  for (const each of all.values()) {
    for (const { agent_id } of each.delegated_agents) {
      if (all.has(agent_id) || all.size >= MOST_AGENTS) continue;
      const found = await findAgent(caller, agent_id).catch((error: unknown) => {
        // One that is gone, or that the caller cannot see, is not started either.
        if (isFailure(error)) return null;
        throw error;
      });
      if (found) all.set(agent_id, found);
    }
  }
  return [...all.values()];
}

async function quote(caller: Caller, body: StartRun) {
  const { agent: name = '', workspace_id, session_id, budget } = body;
  const agent_id = session_id === undefined ? body.agent_id : (await findSession(caller, session_id)).agent_id;
  const agent = agent_id ? await findAgent(caller, agent_id) : await findAgentByName(caller, name, workspace_id);
  const notebook = body.notebook_id ? await findNotebook(caller, body.notebook_id) : null;
  const { max_iterations, max_tokens, max_micros } = budgetFor(agent, budget, notebook?.kind);
  const like = { models: modelsOf(agent) };
  const [ofAgent, ofModel, agents] = await Promise.all([
    pastRuns(caller, { ...like, agent_id: agent.id }),
    pastRuns(caller, like),
    withDelegates(caller, agent),
  ]);
  // Where the local model comes to nothing the remote one is paid: a guess had better count with that.
  const [first = agent.model, ...rest] = new Set(agents.flatMap((each) => modelsOf(each).reverse()));
  return quoteFor({
    ofAgent,
    ofModel,
    limits: { max_iterations, max_tokens, max_usd: usdOf(max_micros) },
    prices: [priceOf(first), ...rest.map(priceOf)],
    prompt_chars: agent.system_prompt.length + inputText(body.input).length,
  });
}

export const quoteRoutes = (): Route[] => [
  route({
    method: 'post',
    path: '/runs/quote',
    tag: 'Runs',
    summary: 'What a run would probably cost: send what you would start it with; nothing is started',
    body: startRunBody,
    audit: 'refusals',
    replies: { 200: quoteSchema },
    handler: async ({ caller, body }) => ({ status: 200, body: await quote(caller, body) }),
  }),
];
