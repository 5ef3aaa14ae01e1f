import { proxyActivities } from '@temporalio/workflow';
import type { BareActivities, Message } from './activities.ts';

/** The same work as one agent run, the usual way: one activity per step, the conversation in the workflow. */
export async function bareAgent(run: string, heartbeatMs: number): Promise<number> {
  const { callModel, readFile } = proxyActivities<BareActivities>({
    startToCloseTimeout: '16 minutes',
    heartbeatTimeout: heartbeatMs,
    retry: { initialInterval: '50 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  });
  const messages: Message[] = [
    { role: 'system', content: 'You are an agent that works on a notebook of files.' },
    { role: 'user', content: run },
  ];
  for (let turn = 0; ; turn++) {
    const answer = await callModel(messages);
    messages.push(answer);
    const [call] = answer.tool_calls ?? [];
    if (!call) return turn;
    messages.push({ role: 'tool', tool_call_id: call.id, content: await readFile() });
  }
}
