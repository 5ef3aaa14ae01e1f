import '@xyflow/react/dist/base.css';
import { Background, Controls, type Edge, MarkerType, ReactFlow } from '@xyflow/react';
import { useMemo } from 'react';
import type { FlowStep } from '../../../domain/workflow-definition.ts';
import { layOut } from '../../workflow-layout.ts';
import { GraphContext, type GraphState, StepNode, type StepNodeData } from './StepNode.tsx';

const TYPES = { step: StepNode };
/** The library's own grounds are for light pages. */
const PLAIN = { ['--xy-attribution-background-color' as string]: 'transparent' };

/** The steps of a workflow as a picture: read from top to bottom, what is inside another in its box. */
export default function Graph({ steps, ...state }: GraphState & { steps: FlowStep[] }) {
  const { nodes, edges } = useMemo(() => {
    const picture = layOut(steps);
    const boxes = new Set(picture.steps.flatMap(({ parent }) => parent ?? []));
    const nodes = picture.steps.map(
      ({ step, parent, branch, x, y, width, height }): StepNodeData => ({
        id: step.id,
        type: 'step',
        position: { x, y },
        width,
        height,
        data: { step, branch, isBox: boxes.has(step.id) },
        ...(parent === null ? {} : { parentId: parent }),
      }),
    );
    const edges = picture.edges.map(
      ({ from, to }): Edge => ({
        id: `${from} ${to}`,
        source: from,
        target: to,
        focusable: false,
        markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--control)' },
        style: { stroke: 'var(--control)' },
      }),
    );
    return { nodes, edges };
  }, [steps]);
  return (
    <GraphContext value={state}>
      <ReactFlow
        key={nodes.map(({ id, parentId }) => `${parentId ?? ''}/${id}`).join(' ')}
        nodes={nodes}
        edges={edges}
        nodeTypes={TYPES}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.15 }}
        minZoom={0.1}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        panOnScroll
        aria-label="Steps as a graph"
        attributionPosition="bottom-left"
        style={PLAIN}
      >
        <Background color="var(--line)" gap={20} />
        <Controls showInteractive={false} position="bottom-right" />
      </ReactFlow>
    </GraphContext>
  );
}
