import { describe, expect, it } from 'vitest';
import { memorySettings, serverSettings } from '../../../store/embedded/settings.ts';

const GB = 2 ** 30;

describe('memorySettings', () => {
  it('grows with the memory of the machine, within bounds', () => {
    expect(memorySettings(6 * GB)).toEqual({
      shared_buffers: '256MB',
      maintenance_work_mem: '128MB',
      wal_buffers: '16MB',
    });
    expect(memorySettings(GB)).toEqual({
      shared_buffers: '128MB',
      maintenance_work_mem: '64MB',
      wal_buffers: '16MB',
    });
    expect(memorySettings(256 * GB)).toEqual({
      shared_buffers: '1024MB',
      maintenance_work_mem: '512MB',
      wal_buffers: '64MB',
    });
  });
});

describe('serverSettings', () => {
  it('takes a small share of what this machine has, and leaves data and log flushed', () => {
    const settings = serverSettings();
    const megabytes = Number.parseInt(settings.shared_buffers!, 10);
    expect(megabytes).toBeGreaterThanOrEqual(128);
    expect(megabytes).toBeLessThanOrEqual(1024);
    expect(settings).toMatchObject({ fsync: 'on', synchronous_commit: 'on', wal_level: 'minimal' });
  });
});
