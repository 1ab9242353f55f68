import { Code } from '../ui/code.tsx';
import { Card, Page as Frame } from '../ui/page.tsx';

/** How AI assistants use Quarry: by its tool server. */
export function Page() {
  const url = `${window.location.origin}/mcp`;
  const json = JSON.stringify(
    {
      mcpServers: {
        quarry: {
          type: 'http',
          url,
          headers: { authorization: 'Bearer <a key of the role read>' },
        },
      },
    },
    null,
    2,
  );
  return (
    <Frame
      title="Assistants"
      sub="Assistants that speak MCP search your collections by tools of their own."
    >
      <Card title="Claude Code">
        <div className="pad">
          <Code
            text={`claude mcp add --transport http quarry ${url} --header "Authorization: Bearer $QUARRY_API_KEY"`}
            label="command for Claude Code"
          />
        </div>
      </Card>
      <Card title="Cursor, VS Code and others that read mcp.json">
        <div className="pad">
          <Code text={json} label="mcp.json" />
        </div>
      </Card>
      <p className="soft">A key of the role read is enough. An admin makes it under API keys.</p>
    </Frame>
  );
}
