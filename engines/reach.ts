import type { ConnectionOptions } from '@temporalio/client';

const PATIENCE_MS = 10_000;

/** A deployment's MongoDB: there, and of the kind that has change streams. */
export async function requireReplicaSet(uri: string): Promise<void> {
  const { default: mongoose } = await import('mongoose');
  const client = new mongoose.mongo.MongoClient(uri, { serverSelectionTimeoutMS: PATIENCE_MS });
  try {
    const hello = await client.db('admin').command({ hello: 1 });
    if (hello.setName === undefined && hello.msg !== 'isdbgrid') {
      throw new Error('it is a single server; a replica set (of one is enough) is needed for change streams');
    }
  } catch (error) {
    throw new Error(`MONGODB_URI cannot be used: ${wordsOf(error)}`, { cause: error });
  } finally {
    await client.close();
  }
}

/** A deployment's Temporal: there, with the namespace, and lets us in. */
export async function requireNamespace(options: ConnectionOptions, namespace: string): Promise<void> {
  const { Connection } = await import('@temporalio/client');
  try {
    const connection = await Connection.connect({ ...options, connectTimeout: PATIENCE_MS });
    try {
      await connection.withDeadline(Date.now() + PATIENCE_MS, () =>
        connection.workflowService.describeNamespace({ namespace }),
      );
    } finally {
      await connection.close();
    }
  } catch (error) {
    const where = `TEMPORAL_ADDRESS ${options.address} with namespace ${namespace}`;
    throw new Error(`${where} cannot be used: ${wordsOf(error)}`, { cause: error });
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
