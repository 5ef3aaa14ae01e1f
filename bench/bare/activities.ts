import { readFile } from 'node:fs/promises';
import { heartbeat } from '@temporalio/activity';
import OpenAI from 'openai';

export type Message = OpenAI.Chat.ChatCompletionMessageParam & { tool_calls?: { id: string }[] };

async function beating<T>(heartbeatMs: number, work: Promise<T>): Promise<T> {
  const timer = setInterval(() => heartbeat(), heartbeatMs / 5);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

export function bareActivities(modelUrl: string, file: string, heartbeatMs: number) {
  const client = new OpenAI({ apiKey: 'stub', baseURL: modelUrl, maxRetries: 0 });
  const parameters = { type: 'object', properties: { path: { type: 'string' } } };
  const tools = [{ type: 'function' as const, function: { name: 'read_file', parameters } }];
  return {
    async callModel(messages: Message[]): Promise<Message> {
      const reply = await beating(heartbeatMs, client.chat.completions.create({ model: 'stub', messages, tools }));
      const [choice] = reply.choices;
      if (!choice) throw new Error('no answer');
      return choice.message as Message;
    },
    readFile: (): Promise<string> => beating(heartbeatMs, readFile(file, 'utf8')),
  };
}

export type BareActivities = ReturnType<typeof bareActivities>;
