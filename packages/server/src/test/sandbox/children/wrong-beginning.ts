/** The first message of this child is not a message. */
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { ANSWERS_FD } from '../../../sandbox/frames.ts';

new Socket({ fd: ANSWERS_FD, readable: false }).write('no message');
await setTimeout(1_000_000);
