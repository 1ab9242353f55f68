/** Sends a message to the thread of the watchdog that Node itself cannot take there. */
import { MessagePort, postMessageToThread } from 'node:worker_threads';

const { postMessage } = MessagePort.prototype;
MessagePort.prototype.postMessage = function (message, ...rest) {
  postMessage.call(this, { ...message, memory: null }, ...rest);
};
postMessageToThread(1, 'x');
setTimeout(() => {}, 5000);
