import { describe, expect, it, vi } from 'vitest';
import { Remembering } from '../../api/remembering.ts';

describe('what is remembered for a moment', () => {
  const counted = (values: (string | Error)[]) => {
    let asked = 0;
    const look = async (): Promise<string> => {
      const value = values[Math.min(asked++, values.length - 1)];
      if (value instanceof Error) throw value;
      return value ?? '';
    };
    return { look, asked: () => asked };
  };

  it('is looked up once while it is fresh, and again after two seconds', async () => {
    vi.useFakeTimers();
    const memory = new Remembering<string>();
    const { look, asked } = counted(['a', 'b']);
    expect([await memory.get('k', look), await memory.get('k', look)]).toEqual(['a', 'a']);
    expect(asked()).toBe(1);
    vi.advanceTimersByTime(2_001);
    expect(await memory.get('k', look)).toBe('b');
    vi.useRealTimers();
  });

  it('is renewed after the request that used it when it is no longer new, and a failure ends it', async () => {
    vi.useFakeTimers();
    const memory = new Remembering<string>();
    const { look, asked } = counted(['a', 'b', new Error('revoked'), new Error('revoked')]);
    await memory.get('k', look);
    vi.advanceTimersByTime(600);
    expect(await memory.get('k', look)).toBe('a');
    await vi.advanceTimersByTimeAsync(100);
    expect(await memory.get('k', look)).toBe('b');
    vi.advanceTimersByTime(600);
    await memory.get('k', look);
    await vi.advanceTimersByTimeAsync(100);
    await expect(memory.get('k', look)).rejects.toThrow('revoked');
    expect(asked()).toBe(4);
    vi.useRealTimers();
  });

  it('is dropped when it ends by itself, when it failed, and when it is forgotten', async () => {
    const ending = new Remembering<string>(() => new Date(Date.now() - 1));
    const once = counted(['a', 'b']);
    await ending.get('k', once.look);
    expect(await ending.get('k', once.look)).toBe('b');

    const memory = new Remembering<string>();
    const failing = counted([new Error('no'), 'a', 'b']);
    await expect(memory.get('k', failing.look)).rejects.toThrow('no');
    expect(await memory.get('k', failing.look)).toBe('a');
    memory.forget();
    expect(await memory.get('k', failing.look)).toBe('b');
  });
});
