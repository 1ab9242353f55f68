/**
 * Lists the sources that are copied from a fake of their service, each with a company in the fake. A source is loaded
 * when it is used.
 */
import type { Source } from '../../sources/define.ts';
import type { CloudCompany } from './cloud-company.ts';

export interface Cloud {
  readonly source: Source;
  open(): Promise<CloudCompany>;
}

export const CLOUDS: Readonly<Record<string, () => Promise<Cloud>>> = {
  async confluence() {
    const { confluence } = await import('../../sources/catalog/confluence.ts');
    const { openConfluenceCloud } = await import('./confluence-cloud.ts');
    return { source: confluence, open: openConfluenceCloud };
  },
  async discourse() {
    const { discourse } = await import('../../sources/catalog/discourse.ts');
    const { openDiscourseCompany } = await import('./discourse-company.ts');
    return { source: discourse, open: openDiscourseCompany };
  },
  async github() {
    const { github } = await import('../../sources/catalog/github.ts');
    const { openGithubCloud } = await import('./github-cloud.ts');
    return { source: github, open: openGithubCloud };
  },
  async gmail() {
    const { gmail } = await import('../../sources/catalog/gmail.ts');
    const { openGmailOfPerson } = await import('./gmail-cloud.ts');
    return { source: gmail, open: openGmailOfPerson };
  },
  async gmail_organization() {
    const { gmail } = await import('../../sources/catalog/gmail.ts');
    const { openGmailOfOrganization } = await import('./gmail-cloud.ts');
    return { source: gmail, open: openGmailOfOrganization };
  },
  async google_drive() {
    const { googleDrive } = await import('../../sources/catalog/google-drive.ts');
    const { openDriveCompany } = await import('./google-drive-company.ts');
    return { source: googleDrive, open: openDriveCompany };
  },
  async intercom() {
    const { intercom } = await import('../../sources/catalog/intercom.ts');
    const { openIntercomCompany } = await import('./intercom-company.ts');
    return { source: intercom, open: () => openIntercomCompany() };
  },
  async jira() {
    const { jira } = await import('../../sources/catalog/jira.ts');
    const { openJiraCloud } = await import('./jira-cloud.ts');
    return { source: jira, open: openJiraCloud };
  },
  async linear() {
    const { linear } = await import('../../sources/catalog/linear.ts');
    const { openLinearCompany } = await import('./linear-company.ts');
    return { source: linear, open: openLinearCompany };
  },
  async notion() {
    const { notion } = await import('../../sources/catalog/notion.ts');
    const { openNotionCloud } = await import('./notion-cloud.ts');
    return { source: notion, open: openNotionCloud };
  },
  async outline() {
    const { outline } = await import('../../sources/catalog/outline.ts');
    const { openOutlineCompany } = await import('./outline-company.ts');
    return { source: outline, open: openOutlineCompany };
  },
  async outlook_mail() {
    const { outlookMail } = await import('../../sources/catalog/outlook-mail.ts');
    const { openOutlookCloud } = await import('./outlook-cloud.ts');
    const { withAppToken } = await import('./graph-house.ts');
    const { GRAPH_PERSON_TOKEN } = await import('./graph-tokens.ts');
    const source = withAppToken(outlookMail, GRAPH_PERSON_TOKEN);
    return { source, open: () => openOutlookCloud() };
  },
  async s3() {
    const { s3 } = await import('../../sources/catalog/s3.ts');
    const { openS3Cloud } = await import('./s3-cloud.ts');
    return { source: s3, open: openS3Cloud };
  },
  async sharepoint_online() {
    const { sharepointOnline } = await import('../../sources/catalog/sharepoint-online.ts');
    const { openSharepointCloud } = await import('./sharepoint-cloud.ts');
    const { withAppToken } = await import('./graph-house.ts');
    return { source: withAppToken(sharepointOnline), open: openSharepointCloud };
  },
  async slack_history() {
    const { slackHistory } = await import('../../sources/catalog/slack-history.ts');
    const { openSlackCloud } = await import('./slack-cloud.ts');
    return { source: slackHistory, open: openSlackCloud };
  },
  async web() {
    const { web } = await import('../../sources/catalog/web.ts');
    const { openWebsite } = await import('./web-peer.ts');
    return { source: web, open: openWebsite };
  },
};
