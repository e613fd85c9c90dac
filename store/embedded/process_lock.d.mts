export function processStart(pid: number): string | null;
export function takeLock(folder: string, content: object): Promise<string | null>;
