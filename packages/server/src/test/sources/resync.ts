/**
 * Measures how many requests a sync needs when nothing has changed. A full sync needs the pages of the listings, and no
 * request for a record: when pages hold everything, more records need no more requests. An incremental sync needs a few.
 */
import assert from 'node:assert/strict';
import type { CloudCompany } from './cloud-company.ts';
import { assertCompleted, type CloudStage } from './cloud-stage.ts';

/**
 * A company tells here what its source needs. A source that needs more requests than others says why, and the page of the
 * source says so as well.
 */
export interface Resync {
  /** From now on, a page of each listing holds as many records as the service allows. */
  widen?(): void;
  /**
   * Adds records of each kind, with what may be below them (comments, files, members), to parts that are there. They did
   * not change lately, so an incremental sync does not ask for them.
   */
  grow(): void;
  /** A full sync asks so often for what one call of `grow` adds, because the service has no list that tells it. */
  readonly full?: { readonly perGrowth: number; readonly why: string };
  /**
   * The service has no list of the changes of a whole account. So an incremental sync needs up to `most` requests, and
   * `perGrowth` for what one call of `grow` adds.
   */
  readonly incremental?: { most(): number; readonly perGrowth?: number; readonly why: string };
}

const GROWTHS = 2;
/** Other incremental syncs need at most so many requests. */
const FEW = 5;

/** Fails when a sync asks for unchanged records. Returns a sentence with the numbers of requests. */
export async function measureResync(
  { peer, expected, resync }: CloudCompany,
  stage: CloudStage,
): Promise<string> {
  async function requestsOf(sync: () => Promise<any>): Promise<number> {
    const before = peer.requests.length;
    assertCompleted(await sync());
    return peer.requests.length - before;
  }
  async function afterGrowth() {
    for (let i = 0; i < GROWTHS; i++) resync.grow();
    await requestsOf(stage.full);
    const full = await requestsOf(stage.full);
    const incremental = await requestsOf(stage.incremental);
    return { records: expected().size, full, incremental };
  }
  const { full, incremental } = resync;
  resync.widen?.();
  const most = incremental?.most() ?? FEW;
  const once = await afterGrowth();
  const twice = await afterGrowth();
  // Other tests search for the words of records, which takes long.
  assert.deepEqual(await stage.heldIds(), [...expected().keys()].toSorted());

  const records = twice.records - once.records;
  assert.ok(records >= 2 * GROWTHS, `the company has only ${records} records more`);
  const figures = [
    `a full sync of unchanged records needs ${once.full} requests, and ${twice.full} with ${records} records more`,
    ...(full ? [full.why] : []),
    `an incremental sync needs ${once.incremental} requests, and ${twice.incremental} then`,
    ...(incremental ? [incremental.why] : []),
  ].join('; ');
  assert.equal(twice.full - once.full, GROWTHS * (full?.perGrowth ?? 0), figures);
  const more = GROWTHS * (incremental?.perGrowth ?? 0);
  assert.equal(twice.incremental - once.incremental, more, figures);
  assert.ok(once.incremental - more <= most, figures);
  return figures;
}
