import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Known } from '../../../domain/step-graph.ts';
import { allSteps } from '../../../domain/step-lists.ts';
import { isSystemTool } from '../../../domain/system-tools.ts';
import type { FlowStep } from '../../../domain/workflow-definition.ts';
import { useAgents, useWorkspace } from '../../queries.ts';
import { referenceOf } from '../../workflow-words.ts';
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

function useTargets() {
  const workspace = useWorkspace();
  const { data: agents } = useAgents();
  const { data: workflows } = useWorkflows();
  const { data: tools } = useQuery({
    queryKey: ['tools', workspace?.id],
    queryFn: () => workflowsApi.tools(workspace?.id ?? ''),
    enabled: workspace !== undefined,
    staleTime: 60_000,
  });
  return { agents, tools, workflows };
}

/** What the agents, tools and workflows that steps refer to by id are called. */
export function useTargetNames(steps: FlowStep[]): Readonly<Record<string, string>> {
  const { agents, tools, workflows } = useTargets();
  return useMemo(() => {
    const nameOf = (id: string): string | undefined =>
      [...(agents ?? []), ...(tools ?? []), ...(workflows ?? [])].find((each) => each.id === id)?.name;
    return Object.fromEntries(
      allSteps(steps).flatMap((step) => {
        const id = referenceOf(step);
        const name = id && nameOf(id);
        return name ? [[step.id, name]] : [];
      }),
    );
  }, [agents, tools, workflows, steps]);
}

/** What steps may refer to, as far as it is known by now; what is not, the server looks at. */
export function useKnown(own: string | null): Known {
  const { agents, tools, workflows } = useTargets();
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
