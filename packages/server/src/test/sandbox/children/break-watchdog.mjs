/** Sends the thread of the watchdog a message on which Node itself fails there. */
import { MessagePort, postMessageToThread } from 'node:worker_threads';
import { watching } from '../../../sandbox/watchdog.ts';

// On a busy machine the thread of a process with low priority takes seconds to start.
setTimeout(() => {}, 60_000);
await watching;
const { postMessage } = MessagePort.prototype;
MessagePort.prototype.postMessage = function (message, ...rest) {
  postMessage.call(this, { ...message, memory: null }, ...rest);
};
postMessageToThread(1, 'x');
