/**
 * This process delivers webhooks, with a clock that runs fast, until play.ts kills it. Environment variables give it
 * its database and the time at which the clock starts.
 */
import pino from 'pino';
import { connect, databaseKind } from '../../../db/connect.ts';
import { createVault } from '../../../secrets.ts';
import { createMetrics } from '../../../telemetry/metrics.ts';
import { NO_TRACER } from '../../../telemetry/trace.ts';
import { startDeliveries } from '../../../webhooks/deliver/deliver.ts';
import { takeOverDeliveries } from '../../../webhooks/deliver/queue-store.ts';
import { anywhere } from '../../environment.ts';
import { fastClock, LIMITS, SECRET } from './settings.ts';

const { DATABASE = '', BEGAN = '0' } = process.env;
const kind = databaseKind(DATABASE);
const db = connect(DATABASE, { lockWaitMs: 30_000 });
if (kind === 'sqlite') await takeOverDeliveries(db);
startDeliveries({
  db,
  kind,
  vault: createVault(SECRET),
  send: anywhere.send,
  allowLoopback: true,
  clock: fastClock(Number(BEGAN)),
  metrics: createMetrics(),
  tracer: NO_TRACER,
  log: pino({ level: 'error' }),
  pollMs: () => 250,
  limits: LIMITS,
  deadlineMs: 3000,
  bodyMs: 200,
});
