import { stored } from './stored.ts';

const token = stored('longhaul.token');
const workspace = stored('longhaul.workspace');

/** Who is signed in on this browser, and which workspace they look at. */
export const session = {
  token: token.get,
  useToken: token.use,
  onChange: token.subscribe,
  begin: (value: string): void => token.set(value),
  end: (): void => token.set(null),
  useWorkspaceChoice: workspace.use,
  chooseWorkspace: (id: string): void => workspace.set(id),
};
