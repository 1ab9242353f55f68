/** Runs the suite for cloud sources against a website whose server fails. */
import { web } from '../../sources/catalog/web.ts';
import { testCloudSource } from './cloud-suite.ts';
import { openWebsite } from './web-peer.ts';

testCloudSource(web, openWebsite);
