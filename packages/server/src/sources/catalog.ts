/** The catalog holds the sources of this version, in the order in which users see them. */
import { caldav } from './catalog/caldav.ts';
import { confluence } from './catalog/confluence.ts';
import { discourse } from './catalog/discourse.ts';
import { files } from './catalog/files.ts';
import { git } from './catalog/git.ts';
import { github } from './catalog/github.ts';
import { githubCode } from './catalog/github-code.ts';
import { gmail } from './catalog/gmail.ts';
import { googleDrive } from './catalog/google-drive.ts';
import { imap } from './catalog/imap.ts';
import { intercom } from './catalog/intercom.ts';
import { jira } from './catalog/jira.ts';
import { linear } from './catalog/linear.ts';
import { mysql } from './catalog/mysql.ts';
import { notion } from './catalog/notion.ts';
import { outline } from './catalog/outline.ts';
import { outlookMail } from './catalog/outlook-mail.ts';
import { postgresql } from './catalog/postgresql.ts';
import { push } from './catalog/push.ts';
import { s3 } from './catalog/s3.ts';
import { sharepointOnline } from './catalog/sharepoint-online.ts';
import { slack } from './catalog/slack.ts';
import { slackHistory } from './catalog/slack-history.ts';
import { web } from './catalog/web.ts';
import type { Source } from './define.ts';

export const catalog: ReadonlyMap<string, Source> = new Map(
  [
    files,
    caldav,
    confluence,
    discourse,
    git,
    github,
    githubCode,
    gmail,
    googleDrive,
    imap,
    intercom,
    jira,
    linear,
    mysql,
    notion,
    outline,
    outlookMail,
    postgresql,
    push,
    s3,
    sharepointOnline,
    slack,
    slackHistory,
    web,
  ].map((source) => [source.shortName, source]),
);
