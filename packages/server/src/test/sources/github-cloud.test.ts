/** Runs the suite of cloud sources on GitHub. */
import { github } from '../../sources/catalog/github.ts';
import { testCloudSource } from './cloud-suite.ts';
import { openGithubCloud } from './github-cloud.ts';

testCloudSource(github, openGithubCloud);
