import { innerLists } from '../domain/step-lists.ts';
import { dependenciesOf } from '../domain/step-order.ts';
import type { FlowStep } from '../domain/workflow-definition.ts';

/** Where each step of a workflow stands in its picture: below what it depends on, and inside what it is part of. */
export interface PlacedStep {
  step: FlowStep;
  /** The step it is inside of. */
  parent: string | null;
  /** From the corner of its parent. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** Which of its parent's lists it is in, where there are several. */
  branch: string | null;
}

export interface PlacedEdge {
  from: string;
  to: string;
}

export interface Picture {
  steps: PlacedStep[];
  edges: PlacedEdge[];
  width: number;
  height: number;
}

const STEP = { width: 208, height: 60 };
const GAP = { x: 24, y: 36 };
const INSIDE = { side: 16, top: 60, bottom: 16 };

/** How far down: one more than the furthest of what it depends on. What waits for itself stands where it is written. */
function levelsOf(steps: readonly FlowStep[]): Map<string, number> {
  const dependencies = dependenciesOf(steps);
  const levels = new Map<string, number>();
  for (let round = 0; round < steps.length; round++) {
    for (const { id } of steps) {
      const before = (dependencies.get(id) ?? []).map((other) => levels.get(other) ?? -1);
      levels.set(id, Math.min(steps.length, Math.max(-1, ...before) + 1));
    }
  }
  return levels;
}

const nameOf = (step: FlowStep, index: number): string | null => {
  if (step.type === 'parallel') return step.branches[index]?.id ?? null;
  if (step.type === 'condition') return index === 0 ? 'if' : 'else';
  return null;
};

function pictureOf(steps: readonly FlowStep[], parent: string | null, branch: string | null): Picture {
  const levels = levelsOf(steps);
  const depths = [...new Set(levels.values())].toSorted((a, b) => a - b);
  const rows = depths.map((depth) => steps.filter(({ id }) => levels.get(id) === depth));
  const placed: PlacedStep[] = [];
  const edges: PlacedEdge[] = [];
  const laid = rows.map((row) => row.map((step) => ({ step, inner: insideOf(step) })));
  const widthOf = (row: (typeof laid)[number]) => row.reduce((sum, { inner }) => sum + inner.width + GAP.x, -GAP.x);
  const width = Math.max(STEP.width, ...laid.map(widthOf));
  let y = 0;
  for (const row of laid) {
    let x = (width - widthOf(row)) / 2;
    for (const { step, inner } of row) {
      placed.push({ step, parent, branch, x, y, width: inner.width, height: inner.height });
      placed.push(...inner.steps);
      edges.push(...inner.edges);
      x += inner.width + GAP.x;
    }
    y += Math.max(...row.map(({ inner }) => inner.height)) + GAP.y;
  }
  const known = new Set(steps.map(({ id }) => id));
  for (const [to, before] of dependenciesOf(steps)) {
    edges.push(...before.filter((from) => known.has(from) && from !== to).map((from) => ({ from, to })));
  }
  return { steps: placed, edges, width, height: Math.max(0, y - GAP.y) };
}

/** A step by itself, or as a box with its lists side by side. */
function insideOf(step: FlowStep): Picture {
  const lists = innerLists(step);
  if (lists.length === 0) return { steps: [], edges: [], ...STEP };
  const all: PlacedStep[] = [];
  const edges: PlacedEdge[] = [];
  let x = INSIDE.side;
  let height = 0;
  for (const [index, { steps }] of lists.entries()) {
    if (steps.length === 0) continue;
    const inner = pictureOf(steps, step.id, nameOf(step, index));
    all.push(
      ...inner.steps.map((one) => (one.parent === step.id ? { ...one, x: one.x + x, y: one.y + INSIDE.top } : one)),
    );
    edges.push(...inner.edges);
    x += inner.width + GAP.x;
    height = Math.max(height, inner.height);
  }
  const width = Math.max(STEP.width, x - GAP.x + INSIDE.side);
  return { steps: all, edges, width, height: INSIDE.top + height + INSIDE.bottom };
}

/** Ids may be there twice while somebody writes: what stands for one of them stands for the first. */
export function layOut(steps: readonly FlowStep[]): Picture {
  const picture = pictureOf(steps, null, null);
  const seen = new Set<string>();
  const unique = picture.steps.filter(({ step: { id } }) => !seen.has(id) && seen.add(id));
  const keys = new Set<string>();
  const edges = picture.edges.filter(({ from, to }) => !keys.has(`${from} ${to}`) && keys.add(`${from} ${to}`));
  return { ...picture, steps: unique, edges };
}
