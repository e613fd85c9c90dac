import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum requests that may wait on one connection. */
const WAITING_MAX = 32;

/**
 * Makes a listener answer the requests of each connection one after the other, so that a client that sends many requests and reads no
 * answer costs as much as one. A connection is not read while requests wait on it; when it closes they are dropped. The first request
 * beyond WAITING_MAX is answered by `refuse`, which has to close the connection; later ones get no answer.
 */
export function answerInTurn(answer: RequestListener, refuse: RequestListener): RequestListener {
  /** What to do after the present answer, for each connection that has one. */
  const waitingOf = new WeakMap<Socket, (() => void)[]>();
  const answerNext = (socket: Socket): void => {
    const queued = waitingOf.get(socket);
    const next = socket.destroyed ? undefined : queued?.shift();
    if (next === undefined) waitingOf.delete(socket);
    else next();
    // The body of the last request may not have arrived yet.
    if (queued?.length === 0) socket.resume();
  };
  return (request, response) => {
    const { socket } = request;
    const calls = waitingOf.get(socket);
    if (calls !== undefined && calls.length > WAITING_MAX) return;
    const isTooMany = calls?.length === WAITING_MAX;
    const answerOne = (): void => {
      response.once('close', () => answerNext(socket));
      if (isTooMany) refuse(request, response);
      else answer(request, response);
    };
    if (calls === undefined) {
      waitingOf.set(socket, []);
      answerOne();
    } else {
      socket.pause();
      calls.push(answerOne);
    }
  };
}
