/** Runs the source Discourse through the whole pipeline, against a fake of a forum. */
import { discourse } from '../../sources/catalog/discourse.ts';
import { testCloudSource } from './cloud-suite.ts';
import { openDiscourseCompany } from './discourse-company.ts';

testCloudSource(discourse, openDiscourseCompany);
