/** Plays the shared suites against the fake of Intercom. */
import { intercom } from '../../sources/catalog/intercom.ts';
import { testCloudSource } from './cloud-suite.ts';
import { openIntercomCompany } from './intercom-company.ts';

testCloudSource(intercom, () => openIntercomCompany());
