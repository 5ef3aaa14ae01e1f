import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Known } from '../../../domain/step-graph.ts';
import { isSystemTool } from '../../../domain/system-tools.ts';
import { useAgents, useWorkspace } from '../../queries.ts';
import { workflowsApi } from '../../workflows-api.ts';

export function useWorkflows() {
  const workspace = useWorkspace();
  return useQuery({
    queryKey: ['workflows', workspace?.id],
    queryFn: () => workflowsApi.list(workspace?.id ?? ''),
    enabled: workspace !== undefined,
    select: (page) => page.items,
  });
}

/** What steps may refer to, as far as it is known by now; what is not, the server looks at. */
export function useKnown(own: string | null): Known {
  const workspace = useWorkspace();
  const { data: agents } = useAgents();
  const { data: workflows } = useWorkflows();
  const { data: tools } = useQuery({
    queryKey: ['tools', workspace?.id],
    queryFn: () => workflowsApi.tools(workspace?.id ?? ''),
    enabled: workspace !== undefined,
    staleTime: 60_000,
  });
  return useMemo(
    () => ({
      ...(agents && { agent: (name) => agents.some((each) => [each.id, each.slug, each.name].includes(name)) }),
      ...(tools && {
        tool: (name) => isSystemTool(name) || tools.some((each) => [each.id, each.name].includes(name)),
      }),
      ...(workflows && {
        workflow: (name) => {
          const found = workflows.find((each) => [each.id, each.name].includes(name));
          return !found ? 'unknown' : found.id === own ? 'circular' : 'known';
        },
      }),
    }),
    [agents, tools, workflows, own],
  );
}
