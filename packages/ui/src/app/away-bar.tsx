import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useReach } from '../lib/reach.ts';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/toast.tsx';

/** Says that the service does not answer, and asks for everything again once it does. */
export function AwayBar() {
  const client = useQueryClient();
  const { isAway, answeredAt } = useReach();
  const wasAway = useRef(false);
  useEffect(() => {
    if (wasAway.current && !isAway) {
      toast('Connected again');
      void client.invalidateQueries();
    }
    wasAway.current = isAway;
  }, [isAway, client]);
  if (!isAway) return null;
  const time =
    answeredAt !== null &&
    new Date(answeredAt).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  return (
    <div className="away" role="alert">
      <span>
        Quarry does not answer. {time && `What you see was true at ${time}. `}Trying again.
      </span>
      <Button size="sm" onClick={() => void client.refetchQueries({ type: 'active' })}>
        Try now
      </Button>
    </div>
  );
}
