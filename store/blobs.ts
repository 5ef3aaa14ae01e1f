import { buffer, text } from 'node:stream/consumers';
import mongoose from 'mongoose';

const bucket = (): mongoose.mongo.GridFSBucket => {
  const { db } = mongoose.connection;
  if (!db) throw new Error('the store is not connected');
  return new mongoose.mongo.GridFSBucket(db, { bucketName: 'blobs' });
};

async function write(content: string | Buffer): Promise<string> {
  const upload = bucket().openUploadStream('blob');
  await new Promise<void>((done, fail) => upload.on('finish', done).on('error', fail).end(content));
  return upload.id.toHexString();
}

export const writeBlob = (content: string): Promise<string> => write(content);
export const writeBytes = (content: Buffer): Promise<string> => write(content);

export const readBlob = (id: string): Promise<string> =>
  text(bucket().openDownloadStream(new mongoose.mongo.ObjectId(id)));

export const readBytes = (id: string): Promise<Buffer> =>
  buffer(bucket().openDownloadStream(new mongoose.mongo.ObjectId(id)));

/** No error where it is gone already: who repeats a removal means the same. */
export async function deleteBlob(id: string): Promise<void> {
  const _id = new mongoose.mongo.ObjectId(id);
  const [found] = await bucket().find({ _id }).limit(1).toArray();
  if (found) await bucket().delete(_id);
}
