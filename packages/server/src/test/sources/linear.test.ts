/** Tests the source of Linear against a fake that executes its queries by Linear's published schema. */
import { linear } from '../../sources/catalog/linear.ts';
import { testCloudSource } from './cloud-suite.ts';
import { openLinear } from './linear-peer.ts';

testCloudSource(linear, openLinear);
