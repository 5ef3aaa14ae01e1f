import { NativeConnection, Worker } from '@temporalio/worker';
import { bareActivities } from './activities.ts';

/** A plain worker with the SDK's own defaults, but for the sticky time-out that recovery needs. */
const [address = '', bundle = '', modelUrl = '', file = '', heartbeatMs = ''] = process.argv.slice(2);
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue: 'bare',
  workflowBundle: { codePath: bundle },
  activities: bareActivities(modelUrl, file, Number(heartbeatMs)),
  stickyQueueScheduleToStartTimeout: '1 second',
});
process.once('disconnect', () => worker.shutdown());
process.send?.({ type: 'ready' });
await worker.run();
await connection.close();
