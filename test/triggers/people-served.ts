import { type Call, type Served, startServed } from '../served-system.ts';

/** A system with somebody of each role, a stranger, and an agent that is shared with the workspace. */
export async function startWithPeople(deps: Parameters<typeof startServed>[1] = {}) {
  const served: Served = await startServed({}, deps);
  const [admin, ana, ben, reader, stranger] = await Promise.all([
    served.member('admin'),
    served.member('write'),
    served.member('write'),
    served.member('read'),
    served.foreigner(),
  ]);
  const shared = (await served.sharedAgent()).id;
  const call = (method: string, path: string, token: string, more: Omit<Call, 'token'> = {}) =>
    served.call(method, path, { ...more, token });
  return { served, call, admin, ana, ben, reader, stranger, shared };
}
export type WithPeople = Awaited<ReturnType<typeof startWithPeople>>;
