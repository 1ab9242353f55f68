/** Calls the tools of assistants over HTTP, with the old or the new form of the protocol, and checks their answers. */
import { asking } from './assistant/ask.ts';
import type { AssistantDraw } from './assistant/draw.ts';
import { playBriefSearch, playSearch } from './assistant/finding.ts';
import { playGrep, playList, playRead } from './assistant/reading.ts';
import { playConfig, playDescriptions } from './assistant/telling.ts';
import type { Case } from './play.ts';

export async function playAssistant(draw: AssistantDraw, at: Case): Promise<void> {
  const own = asking(draw, at);
  const { tool } = draw;
  if (tool === 'search-') await playSearch(draw, at, own);
  else if (tool === 'search') await playBriefSearch(at, own);
  else if (tool === 'read' || tool === 'fetch') await playRead({ ...draw, tool }, at, own);
  else if (tool === 'grep') await playGrep(draw, at, own);
  else if (tool === 'list') await playList(draw, at, own);
  else if (tool === 'get-config') await playConfig(own);
  else await playDescriptions(at, own);
}
