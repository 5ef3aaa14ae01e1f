import { useQuery } from '@tanstack/react-query';
import { type DefinedKind, definitionsApi } from './definitions-api.ts';
import { useWorkspace } from './queries.ts';

/** All of one kind in the workspace; or those that were deleted and that one may bring back. */
export function useDefinitions<K extends DefinedKind>(kind: K, { isActive = true } = {}) {
  const workspace = useWorkspace();
  return useQuery({
    queryKey: ['definitions', kind, workspace?.id, isActive],
    queryFn: () => definitionsApi.all(kind, workspace?.id ?? '', isActive),
    enabled: workspace !== undefined,
  });
}
