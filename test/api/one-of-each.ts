import { hookSignature } from '../../api/hooks.ts';
import { editing, propose, replaceLine } from '../edit-jobs.ts';
import type { Served } from '../served-system.ts';

const bodyOf = async (answer: Promise<{ status: number; body: Record<string, string> }>) => {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};

async function delivered({ url = '', secret = '' }: Record<string, string>): Promise<string | undefined> {
  const at = String(Math.floor(Date.now() / 1000));
  const body = '{}';
  const signature = `v1=${hookSignature(secret, at, Buffer.from(body))}`;
  const headers = { 'content-type': 'application/json', 'x-longhaul-timestamp': at, 'x-longhaul-signature': signature };
  const answer: { delivery_id?: string } = await (await fetch(url, { method: 'POST', headers, body })).json();
  return answer.delivery_id;
}

/** A job that was applied, so that there is a checkpoint, and one that waits for its review. */
async function edited(system: Served): Promise<Record<string, string>> {
  const edits = editing(system);
  await edits.lay({ 'notes.md': 'one\n' });
  const applied = await edits.proposed('applied', [propose(replaceLine('notes.md', 1, 'one', 'two'))]);
  const { body } = await edits.apply(applied.session, applied.id, ['h_1']);
  const waits = await edits.proposed('waits', [propose(replaceLine('notes.md', 1, 'two', 'three'))]);
  return { ckp: body.checkpoint_id, edit_ses: waits.session, job: waits.id };
}

/** One of each noun, made through the API by the owner: its id by the prefix it has. */
export async function makeOneOfEach(system: Served): Promise<Record<string, string>> {
  const workspace_id = system.workspace.id;
  const make = async (path: string, body: object) =>
    bodyOf(system.call('POST', path, { body: { workspace_id, ...body } }));
  const within = async (path: string, body: object) => bodyOf(system.call('POST', path, { body }));
  // One call an hour, which the run below makes: whatever else is started waits, and costs nothing.
  const agent_id = (
    await make('/agents', {
      name: 'Helper',
      model: 'gpt-test',
      scope: { notebooks: ['*'] },
      visibility: 'workspace',
      max_requests_per_hour: 1,
    })
  ).id;
  const notebook_id = system.notebook.id;
  system.model.script('done', [{ text: 'Done.' }]);
  const input = '[script:done] Say so.';
  const run = await within('/runs', { agent_id, notebook_id, input, wait: 30 });
  const source = await make('/events/sources', { name: 'tickets' });
  const wf = (await make('/agents/workflows', { name: 'flow', steps: [{ id: 'a', type: 'wait', duration: 1 }] })).id;
  const member = { email: 'member@longhaul.test', name: 'Robin', role: 'write' };
  const made = {
    agt: agent_id,
    nb: notebook_id,
    ws: workspace_id,
    run: run.id,
    ses: (await within(`/agents/${agent_id}/sessions`, { notebook_id })).id,
    tsk: (await make('/tasks', { title: 'Read it' })).id,
    src: source.id,
    sub: (await within('/events/subscriptions', { source_id: source.id, target_type: 'agent', agent_id })).id,
    sch: (await make('/runs/schedule', { agent_id, input, cron_expression: '0 9 * * 1', is_active: false })).id,
    kn: (await make('/knowledge', { name: 'a.md', content_type: 'text/markdown', content: '# A' })).id,
    key: (await within('/api-keys', { name: 'CI' })).id,
    tool: (await make('/agents/tools', { name: 'find', entrypoint: 'builtin:search_knowledge' })).id,
    wf,
    workflow_run: (await within('/runs', { workflow_id: wf, input: {} })).id,
    evl: (await make('/agents/evals', { name: 'judge', config: { criteria: 'Good', pass_threshold: 0.5 } })).id,
    int: (
      await make('/integrations', {
        name: 'desk',
        base_url: 'https://desk.example.org',
        endpoints: [{ name: 'get', method: 'GET', path: '/', input_schema: { type: 'object' } }],
      })
    ).id,
    mcp: (await make('/mcp-servers', { name: 'files', transport: { kind: 'http', url: 'https://mcp.example.org' } }))
      .id,
    usr: (await within(`/workspaces/${workspace_id}/members`, member)).user_id,
    dlv: await delivered(source),
    ...(await edited(system)),
    org: system.caller.org_id,
  };
  return Object.fromEntries(Object.entries(made).flatMap(([prefix, id]) => (id ? [[prefix, id]] : [])));
}
