import mongoose from 'mongoose';
import { type McpFindings, type McpServer, type McpTransport, NOT_LOOKED_AT } from '../domain/mcp.ts';
import { nativeCollection } from './connection.ts';

export interface McpServerDoc {
  _id: string;
  org_id: string;
  workspace_id: string;
  name: string;
  description: string;
  transport: McpTransport;
  allowed_tools: string[] | null;
  timeout_s: number;
  is_active: boolean;
  findings: McpFindings;
  version: number;
  created_at: Date;
  updated_at: Date;
}

const mixed = mongoose.Schema.Types.Mixed;
const schema = new mongoose.Schema<McpServerDoc>(
  {
    _id: String,
    org_id: String,
    workspace_id: String,
    name: String,
    description: String,
    transport: mixed,
    allowed_tools: mixed,
    timeout_s: Number,
    is_active: Boolean,
    findings: mixed,
    version: Number,
    created_at: Date,
    updated_at: Date,
  },
  { collection: 'mcp_servers', versionKey: false, minimize: false },
);
schema.index({ workspace_id: 1, name: 1 }, { unique: true });
schema.index({ org_id: 1, created_at: 1, _id: 1 });
export const McpServerModel = mongoose.model<McpServerDoc>('McpServer', schema);

const collection = () => nativeCollection<McpServerDoc>('mcp_servers');

export const toMcpServer = ({ _id, org_id: _org, created_at, updated_at, ...rest }: McpServerDoc): McpServer => ({
  id: _id,
  ...rest,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

/** For activities, which act for a run of the organization. */
export async function loadMcpServer(orgId: string, id: string): Promise<McpServer | null> {
  const found = await collection().findOne({ _id: id, org_id: orgId });
  return found && toMcpServer(found);
}

/** For runs about to begin: those of the workspace that an agent names. */
export async function activeMcpServers(orgId: string, workspaceId: string): Promise<McpServer[]> {
  const found = await collection().find({ org_id: orgId, workspace_id: workspaceId, is_active: true }).toArray();
  return found.map(toMcpServer);
}

/** What was found, unless the server was changed while somebody looked. */
export async function keepFindings(orgId: string, { id, version }: McpServer, findings: McpFindings): Promise<void> {
  await collection().updateOne({ _id: id, org_id: orgId, version }, { $set: { findings } });
}

export const blankFindings = (): McpFindings => structuredClone(NOT_LOOKED_AT);
