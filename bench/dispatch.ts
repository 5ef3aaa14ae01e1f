import type { Dispatched } from '../domain/dispatch.ts';
import type { ModelAnswer } from '../domain/dispatch-decision.ts';
import { routeByRelevance, Shortlist } from '../domain/routing.ts';
import { median, quantile, severalAtOnce } from './measure.ts';
import { CATALOGUE } from './routing-set/catalogue.ts';
import { labelledAnswer } from './routing-set/labelled-model.ts';
import { type Labelled, QUERIES, UNTOUCHED } from './routing-set/queries.ts';
import { asQuery, type Decided, decidedOf, score } from './routing-set/score.ts';
import { numbers, prose } from './sample-text.ts';
import { type Stack, startStack } from './stack.ts';
import { type Script, startStubModel } from './stub-model.ts';

const CANDIDATES = 500;
const WARM_UP = 5;
const AT_ONCE = 4;
const MODEL = 'openai-compatible/stub';

interface Question {
  request: string;
  candidates: { ref: string; name: string }[];
}

const nameOf = (label: string): string => CATALOGUE.find(({ id }) => id === label)?.name ?? label;

/** Knows the labels, and names of them what it is offered, as a model does; or, where it is to misbehave, all of them. */
const double =
  (misbehaves: () => boolean): Script =>
  (message) => {
    const { request, candidates } = JSON.parse(message) as Question;
    const labelled = QUERIES.find(({ query }) => query === request);
    if (!labelled) throw new Error('the dispatcher asked what nobody asked it');
    const answer = labelledAnswer(labelled);
    const isOffered = (label: string) => candidates.some(({ name }) => name === nameOf(label));
    const said = (label: string) => (misbehaves() || isOffered(label) ? [nameOf(label)] : []);
    const told: ModelAnswer = {
      ...answer,
      selected: answer.selected.flatMap((each) => said(each.ref).map((ref) => ({ ...each, ref }))),
      alternatives: answer.alternatives.flatMap(said),
    };
    return { content: JSON.stringify(told) };
  };

/** The tools and agents of the routing set among so many others, made through the API; gives labels by what they are called there. */
async function populate({ call }: Stack, count: number): Promise<Map<string, string>> {
  const { id: workspace_id } = await call<{ id: string }>('POST', '/workspaces', { name: 'Bench' });
  const builtin = await call<{ items: { name: string }[] }>('GET', '/agents/tools?is_builtin=true&limit=100');
  const taken = new Set(builtin.items.map(({ name }) => name));
  const labels = new Map(CATALOGUE.filter(({ kind }) => kind === 'tool').map(({ id, name }) => [name, id]));
  const next = numbers(7);
  const others = Array.from({ length: Math.max(0, count - CATALOGUE.length) }, (_, n) => {
    const about = { name: `other_${n}`, description: prose(next, 2), examples: [] };
    return n % 2 === 0 ? { ...about, kind: 'tool' as const, id: '' } : { ...about, kind: 'agent' as const, id: '' };
  });
  const all = [...CATALOGUE.filter(({ name }) => !taken.has(name)), ...others];
  await severalAtOnce(all.length, AT_ONCE, async (n) => {
    const each = all[n];
    if (!each) return;
    const { kind, id, name, examples } = each;
    // There is no field for examples: people write them where they say what it is for.
    const description = [each.description, ...examples.map((example) => `“${example}”`)].join(' ');
    if (kind === 'tool') {
      const schema = { input: { query: { type: 'string' } } };
      const body = { workspace_id, name, description, entrypoint: 'builtin:search_project', schema };
      await call('POST', '/agents/tools', body);
    } else {
      const body = { workspace_id, name, description, model: MODEL, visibility: 'workspace' };
      labels.set((await call<{ id: string }>('POST', '/agents', body)).id, id);
    }
  });
  return labels;
}

interface Asked {
  labelled: Labelled;
  ms: number;
  reply: Dispatched;
}

/** As labels name it. */
const decided =
  (labels: Map<string, string>) =>
  ({ labelled, reply: { routing_decision } }: Asked): { labelled: Labelled; decided: Decided } => {
    const { selected_tools, selected_agents, alternatives, confidence } = routing_decision;
    const named = (names: string[]) => names.map((name) => labels.get(name) ?? name);
    const selected = named([...selected_tools, ...selected_agents]);
    return { labelled, decided: { selected, alternatives: named(alternatives), confidence } };
  };

const namesIn = ({ reply: { routing_decision: chosen } }: Asked): string[] => [
  ...chosen.selected_tools,
  ...chosen.selected_agents,
  ...chosen.alternatives,
];

/** Which of the untouched half miss is never told: it is the half that was not looked at while tuning. */
export async function dispatch(say: (line: string) => void, scale: number): Promise<Record<string, number>> {
  const shortlist = new Shortlist(CATALOGUE);
  const alone = score(
    UNTOUCHED.map((labelled) => ({ labelled, decided: decidedOf(routeByRelevance(shortlist, asQuery(labelled))) })),
  );
  say(`by relevance alone: accuracy ${alone.accuracy.toFixed(3)}, calibration error ${alone.ece.toFixed(3)}`);
  let misbehaves = false;
  const model = await startStubModel(double(() => misbehaves));
  const stack = await startStack(model.url);
  try {
    const labels = await populate(stack, Math.round(CANDIDATES * scale));
    say(`${Math.round(CANDIDATES * scale)} tools and agents beside those of the product`);
    const withModel = await stack.startApi({ LONGHAUL_DISPATCHER_MODEL: MODEL });
    const askAt =
      (url: unknown) =>
      async (labelled: Labelled): Promise<Asked> => {
        const { query, attachments = [] } = labelled;
        const begun = performance.now();
        const reply = await fetch(`${String(url)}/api/v1/dispatch`, {
          method: 'POST',
          headers: { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query, attachments }),
        });
        if (!reply.ok) throw new Error(`POST /dispatch: ${reply.status} ${await reply.text()}`);
        return { labelled, reply: (await reply.json()) as Dispatched, ms: performance.now() - begun };
      };
    const sides = { relevance: askAt(stack.api.ready.url), model: askAt(withModel.ready.url) };
    const asked: Record<keyof typeof sides, Asked[]> = { relevance: [], model: [] };
    for (const [n, labelled] of [...QUERIES.slice(0, WARM_UP), ...UNTOUCHED].entries()) {
      // By turns, so that what else the machine does befalls both.
      for (const side of ['relevance', 'model'] as const) {
        const one = await sides[side](labelled);
        if (n >= WARM_UP) asked[side].push(one);
      }
    }
    const took = (side: keyof typeof sides) => asked[side].map(({ ms }) => ms);
    const fallbacks = asked.model.filter(({ reply }) => reply.decided_by !== 'model').length;
    for (const side of ['relevance', 'model'] as const) {
      say(`${side}: median ${median(took(side)).toFixed(0)} ms, p95 ${quantile(took(side), 0.95).toFixed(0)} ms`);
    }
    if (fallbacks > 0) say(`${fallbacks} of ${asked.model.length} were not decided by the model in time`);
    const among = score(asked.relevance.map(decided(labels)));
    const byModel = score(asked.model.map(decided(labels)));

    misbehaves = true;
    const enabled_tools = CATALOGUE.filter(({ kind }, n) => kind === 'tool' && n % 2 === 0).map(({ name }) => name);
    const [enabled = ''] = [...labels.keys()].filter((name) => name.startsWith('agt_'));
    await stack.call('PUT', '/me/settings', { enabled_tools, enabled_agents: [enabled] });
    const allowed = new Set([...enabled_tools, enabled]);
    let broken = 0;
    for (const labelled of UNTOUCHED) {
      const names = namesIn(await sides.model(labelled));
      broken += names.filter((name) => !allowed.has(name)).length;
    }
    return {
      p95_ms: quantile(took('model'), 0.95),
      p95_relevance_ms: quantile(took('relevance'), 0.95),
      accuracy_shortlist: alone.accuracy,
      ece: alone.ece,
      accuracy_among_500: among.accuracy,
      accuracy_model: byModel.accuracy,
      ece_model: byModel.ece,
      model_fallbacks: fallbacks,
      rules_broken: broken,
    };
  } finally {
    await stack.stop();
    model.close();
  }
}
