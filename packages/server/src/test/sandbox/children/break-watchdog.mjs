/** Sends the thread of the watchdog a message on which Node itself fails there. */
import { MessagePort, postMessageToThread } from 'node:worker_threads';

const { postMessage } = MessagePort.prototype;
MessagePort.prototype.postMessage = function (message, ...rest) {
  postMessage.call(this, { ...message, memory: null }, ...rest);
};
postMessageToThread(1, 'x');
setTimeout(() => {}, 5000);
