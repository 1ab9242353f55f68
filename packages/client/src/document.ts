/** `npm run api-types` makes this file. The client and the dashboard compile only if they fit the API. */

export interface paths {
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The description of this API */
        get: operations["getOpenApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Is the process alive? */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Is the process alive? */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Is the service ready to serve? */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List organizations
         * @description A key with all_organizations gets the organizations of its account, newest first; any other key gets its own one.
         *
         *     Needs the role `read`.
         */
        get: operations["listOrganizations"];
        put?: never;
        /**
         * Create an organization
         * @description The caller's account becomes its first admin. Needs a key with all_organizations, because another key could not reach the new organization.
         *
         *     The audit log records it as `organization.created`.
         *
         *     Needs the role `admin`.
         */
        post: operations["createOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organization
         * @description Needs the role `read`.
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        /**
         * Delete an organization with all its data
         * @description Its keys, collections, connections, webhooks and transformers stop at once; their rows are removed in the background. No event reports it. Accounts stay. Answers 409 for the last organization, and when only its keys can administer another organization.
         *
         *     The audit log records it as `organization.deleted`.
         *
         *     Needs the role `admin`.
         */
        delete: operations["deleteOrganization"];
        options?: never;
        head?: never;
        /**
         * Change name, feature flags and quotas of an organization
         * @description The audit log records it as `organization.updated`.
         *
         *     Needs the role `admin`.
         */
        patch: operations["updateOrganization"];
        trace?: never;
    };
    "/v1/organizations/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how much an organization was used on each of the last days
         * @description Searches are counted within ten seconds; those of the last ten seconds of a process that is killed are not counted. Kept for 366 days.
         *
         *     Needs the role `admin`.
         */
        get: operations["getOrganizationUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of the organization, newest first
         * @description Needs the role `admin`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Only this answer shows the key itself.
         *
         *     The audit log records it as `api_key.created`.
         *
         *     Needs the role `admin`.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an API key a new value
         * @description The old value stops working at once. The key then belongs to the account that has rotated it.
         *
         *     The audit log records it as `api_key.rotated`.
         *
         *     Needs the role `admin`.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Answers 409 when no other key can administer the organization, or another organization of the key's account.
         *
         *     The audit log records it as `api_key.deleted`.
         *
         *     Needs the role `admin`.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of the organization and those who are invited, newest first
         * @description Needs the role `admin`.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Invite somebody to the organization
         * @description The link in the answer works once and for seven days. Another invitation for the same e-mail takes its place. Where a mail server is set, the link is also mailed to the person; mail says whether it was. The person is invited in any case. A key that expires gets a 403.
         *
         *     The audit log records it as `member.invited`.
         *
         *     Needs the role `admin`.
         */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member, or withdraw an invitation
         * @description The member's sessions and API keys reach the organization no more, and invitations that the member made are withdrawn. Answers 409 when nobody else could administer it.
         *
         *     The audit log records it as `member.removed`.
         *
         *     Needs the role `admin`.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member or of somebody invited
         * @description Invitations that the member made are withdrawn when the member is no longer an admin. Answers 409 when nobody else could administer the organization. A key that expires gets a 403 when it raises a role.
         *
         *     The audit log records it as `member.updated`.
         *
         *     Needs the role `admin`.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/v1/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the administrative acts of the organization, newest first
         * @description Acts are kept for 365 days.
         *
         *     Needs the role `admin`.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in by password
         * @description Sets the http-only cookie of a session. Answers 429 after ten failures of the account, or from the address, within 15 minutes.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in by the link that a start prints
         * @description The token works once and for 24 hours. Answers 401 for another one, and 429 after ten failures from the address within 15 minutes.
         */
        post: operations["signInByStartLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show what an invitation is for
         * @description The token is in the body, so that no log has it. Answers 404 for an invitation that was used or withdrawn or is too old, and 429 after ten failures from the address within 15 minutes.
         */
        post: operations["getInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept an invitation, and sign in */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session of this browser
         * @description A browser without a session gets the same answer.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the account of the session or key, and its organizations
         * @description Needs the role `read`.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the open sessions of your account, the last used first
         * @description Refuses keys that are limited to collections.
         *
         *     Needs the role `read`.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session of your account
         * @description The audit log records it as `session.ended`.
         *
         *     Refuses keys that are limited to collections.
         *
         *     Needs the role `read`.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set or change the password of your account
         * @description All other sessions of the account end.
         *
         *     The audit log records it as `password.changed`.
         *
         *     Refuses keys that are limited to collections.
         *
         *     Needs the role `read`.
         */
        post: operations["setPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Say by which ways people sign in */
        get: operations["getSignInMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/issuer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin to sign in through the issuer (a browser opens this)
         * @description Redirects to the issuer that the operator has set, and afterwards to `to`, which is a path of this service. Another address counts as missing.
         */
        get: operations["beginIssuerSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * End a sign-in through the issuer (the issuer sends the browser here)
         * @description Opens a session, sets its cookie, and redirects to the page that the person had asked for. Without a session it redirects to the sign-in page, with a code in `refused` that says why.
         */
        get: operations["endIssuerSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List collections, newest first
         * @description Needs the role `read`.
         */
        get: operations["listCollections"];
        put?: never;
        /**
         * Create a collection
         * @description The audit log records it as `collection.created`.
         *
         *     Refuses keys that are limited to collections.
         *
         *     Needs the role `member`.
         */
        post: operations["createCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count collections
         * @description Needs the role `read`.
         */
        get: operations["countCollections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a collection
         * @description Needs the role `read`.
         */
        get: operations["getCollection"];
        put?: never;
        post?: never;
        /**
         * Delete a collection with its source connections and all their data
         * @description The audit log records it as `collection.deleted`.
         *
         *     Needs the role `member`.
         */
        delete: operations["deleteCollection"];
        options?: never;
        head?: never;
        /**
         * Change the name or the sync configuration of a collection
         * @description The audit log records it as `collection.updated`.
         *
         *     Needs the role `member`.
         */
        patch: operations["updateCollection"];
        trace?: never;
    };
    "/v1/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sources that can be connected
         * @description Needs the role `read`.
         */
        get: operations["listSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{short_name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a source
         * @description Needs the role `read`.
         */
        get: operations["getSource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entity-definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the kinds of entities that sources yield
         * @description Needs the role `read`.
         */
        get: operations["listEntityDefinitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entity-definitions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an entity definition
         * @description Needs the role `read`.
         */
        get: operations["getEntityDefinition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-rate-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List how often each source may be asked
         * @description First `provider_proxy`, then the sources that can be limited, then the others. Answers 403 while the feature flag `SOURCE_RATE_LIMITING` is off.
         *
         *     Needs the role `read`.
         */
        get: operations["listSourceRateLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-rate-limits/{source_short_name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Limit how often a source may be asked
         * @description In any span of `window_seconds`, all processes together send at most `limit` requests to the source. `provider_proxy` limits the requests that auth providers forward, whatever their source is (1,000 in 300 seconds unless configured). A change takes effect within 5 minutes. Answers 403 while the feature flag `SOURCE_RATE_LIMITING` is off.
         *
         *     The audit log records it as `source_rate_limit.set`.
         *
         *     Needs the role `admin`.
         */
        put: operations["setSourceRateLimit"];
        post?: never;
        /**
         * Remove the limit of a source
         * @description Any number of requests is allowed afterwards; `provider_proxy` has its default again. Also answers 204 when no limit is configured. Answers 403 while the feature flag `SOURCE_RATE_LIMITING` is off.
         *
         *     The audit log records it as `source_rate_limit.removed`.
         *
         *     Needs the role `admin`.
         */
        delete: operations["deleteSourceRateLimit"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{short_name}/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the values that a field of the configuration may have
         * @description Asks the source for the values of a field with `has_options`, such as projects or folders, with credentials that are not stored, or as a source connection that has signed in. Needs the role member, because it sends requests to the source and shows names of things there. The answer has at most 200 values; use `query` to find others.
         *
         *     Needs the role `member`.
         */
        post: operations["listSourceOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth-providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List auth providers
         * @description Needs the role `admin`.
         */
        get: operations["listAuthProviders"];
        put?: never;
        /**
         * Add an auth provider
         * @description An auth provider keeps the credentials of connections: the sign-in service of an application (`custom`), Nango, Composio or Pipedream. It is asked whether it accepts the credentials before anything is saved.
         *
         *     The audit log records it as `auth_provider.created`.
         *
         *     Needs the role `admin`.
         */
        post: operations["createAuthProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth-providers/{readable_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an auth provider
         * @description Needs the role `admin`.
         */
        get: operations["getAuthProvider"];
        /**
         * Change an auth provider
         * @description Fields that are left out keep their value. With new credentials, the connections of the provider ask it again.
         *
         *     The audit log records it as `auth_provider.updated`.
         *
         *     Needs the role `admin`.
         */
        put: operations["updateAuthProvider"];
        post?: never;
        /**
         * Delete an auth provider
         * @description Answers 409 while a connection gets its credentials from the provider.
         *
         *     The audit log records it as `auth_provider.deleted`.
         *
         *     Needs the role `admin`.
         */
        delete: operations["deleteAuthProvider"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List source connections, newest first
         * @description Needs the role `read`.
         */
        get: operations["listSourceConnections"];
        put?: never;
        /**
         * Connect a source to a collection
         * @description The source checks the settings and credentials before anything is saved. With `oauth_browser` the connection waits in PENDING_AUTH until a person has opened `auth.auth_url` and signed in.
         *
         *     The audit log records it as `source_connection.created`.
         *
         *     Needs the role `member`.
         */
        post: operations["createSourceConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a source connection
         * @description Needs the role `read`.
         */
        get: operations["getSourceConnection"];
        put?: never;
        post?: never;
        /**
         * Delete a source connection with all its data
         * @description The audit log records it as `source_connection.deleted`.
         *
         *     Needs the role `member`.
         */
        delete: operations["deleteSourceConnection"];
        options?: never;
        head?: never;
        /**
         * Change a source connection
         * @description The audit log records it as `source_connection.updated`.
         *
         *     Needs the role `member`.
         */
        patch: operations["updateSourceConnection"];
        trace?: never;
    };
    "/v1/source-connections/{id}/reinitiate-oauth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new link with which a person signs in
         * @description The link is `auth.auth_url` of the answer. An earlier link stops working. Signing in with a different account than before is refused.
         *
         *     The audit log records it as `source_connection.sign_in_renewed`.
         *
         *     Needs the role `member`.
         */
        post: operations["reinitiateOAuth"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a sync
         * @description Needs the role `member`.
         */
        post: operations["runSourceConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/{id}/reprocess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transform stored records again
         * @description The job transforms the stored records that have not passed the present transformers of the connection, or that failed in them. It does not ask the source. Each sync begins with this step, too.
         *
         *     Needs the role `member`.
         */
        post: operations["reprocessSourceConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/refresh_all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a sync of every connection that can run now
         * @description Needs the role `member`.
         */
        post: operations["refreshCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/{id}/entity-counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the entities of a source connection over time
         * @description Needs the role `read`.
         */
        get: operations["getEntityCounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/{id}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the jobs of a source connection, newest first
         * @description Needs the role `read`.
         */
        get: operations["listSourceConnectionJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/{id}/jobs/{job_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description Needs the role `member`.
         */
        post: operations["cancelSourceConnectionJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/{id}/jobs/{job_id}/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the records that failed in a job
         * @description Each job keeps the first 1,000 of them. There were more when `entities_failed` of the job is greater than `x-total-count`.
         *
         *     Needs the role `read`.
         */
        get: operations["listJobFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/{id}/jobs/{job_id}/skipped": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the records that a job left out on purpose, with the reasons
         * @description Each job keeps the first 1,000 of them. There were more when `entities_skipped` of the job is greater than `x-total-count`. `skipped_by_reason` of the job counts all of them.
         *
         *     Needs the role `read`.
         */
        get: operations["listJobSkipped"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/{id}/jobs/{job_id}/held-back": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the records whose deletion a job holds back
         * @description The list has the records that still wait: one that was deleted since, or that a later sync has seen, is left out. Each job keeps the first 1,000 of them; `deletions_held_back` of the job counts all. `confirm-deletions` deletes them, unless the source lists them again.
         *
         *     Needs the role `read`.
         */
        get: operations["listHeldBackDeletions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/{id}/jobs/{job_id}/confirm-deletions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the deletions that a job held back, and start a full sync
         * @description The audit log records it as `sync_job.deletions_confirmed`.
         *
         *     Needs the role `member`.
         */
        post: operations["confirmDeletions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * End a sign-in (the provider sends the browser here)
         * @description Exchanges the code for tokens, and redirects to the `redirect_uri` of the source connection with `status=success` and `source_connection_id`, or with `status=error`, `error` and `error_description`.
         */
        get: operations["endSourceSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transformers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the transformers of the organization, newest first, after those of the system
         * @description Needs the role `read`.
         */
        get: operations["listTransformers"];
        put?: never;
        /**
         * Create a transformer
         * @description The module is loaded once, in a limited process, to check that it has the function.
         *
         *     The audit log records it as `transformer.created`.
         *
         *     Refuses keys that are limited to collections.
         *
         *     Needs the role `member`.
         */
        post: operations["createTransformer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transformers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a transformer
         * @description Needs the role `read`.
         */
        get: operations["getTransformer"];
        /**
         * Change a transformer
         * @description Connections that use it transform their stored records again at their next sync, unless only name or description change. Answers 409 while connections have configurations that do not fit the new `config_schema`.
         *
         *     The audit log records it as `transformer.updated`.
         *
         *     Refuses keys that are limited to collections.
         *
         *     Needs the role `member`.
         */
        put: operations["updateTransformer"];
        post?: never;
        /**
         * Delete a transformer
         * @description Answers 409 while a source connection uses it.
         *
         *     The audit log records it as `transformer.deleted`.
         *
         *     Refuses keys that are limited to collections.
         *
         *     Needs the role `member`.
         */
        delete: operations["deleteTransformer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sync/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sync jobs, newest first
         * @description Needs the role `read`.
         */
        get: operations["listSyncJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sync/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a sync job
         * @description Needs the role `read`.
         */
        get: operations["getSyncJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sync/jobs/{job_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a sync job
         * @description Needs the role `member`.
         */
        post: operations["cancelSyncJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/{id}/jobs/{job_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch a job until it has ended
         * @description The answer is a stream of Server-Sent Events, each a `data:` line with JSON: `progress` at once and after each change, and at the end `done`, or `error` when the stream cannot go on. A job that has ended gives `done` at once. Comment lines keep the connection alive.
         *
         *     Needs the role `read`.
         */
        get: operations["watchSourceConnectionJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List entity records
         * @description The records have only metadata. Searches and the routes below `/contents` return the content.
         *
         *     Needs the role `read`.
         */
        get: operations["listEntities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entities/{entity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an entity record
         * @description Needs the role `read`.
         */
        get: operations["getEntity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entities/{entity_id}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say who may see an entity, and whether a person or group may
         * @description With `principal`, the answer says whether this person or group may see the record, and through which groups. It is decided as in a search with X-Principals: groups within groups count.
         *
         *     Needs the role `admin`.
         */
        get: operations["getEntityAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/contents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe the contents of a collection
         * @description The answer lists its sources, types of entities, and the fields that a filter may name. An admin key, or a key with search_as, may send X-Principals to get only what that person may see.
         *
         *     Needs the role `read`.
         */
        get: operations["getContents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/contents/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the records of a collection
         * @description The records come in the order of connection and entity_id, one page at a time. An admin key, or a key with search_as, may send X-Principals to get only what that person may see.
         *
         *     Needs the role `read`.
         */
        get: operations["listContents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/contents/tree": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what is directly below a breadcrumb of a source connection
         * @description Folders and the like come as branches, records as items. Records are looked at in the order of entity_id, one page at a time, so a later page may have more of a branch. An admin key, or a key with search_as, may send X-Principals to get only what that person may see.
         *
         *     Needs the role `read`.
         */
        get: operations["listContentsTree"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/contents/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a record, chunk by chunk
         * @description An admin key, or a key with search_as, may send X-Principals to get only what that person may see.
         *
         *     Needs the role `read`.
         */
        get: operations["readContents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/contents/grep": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find the lines that a regular expression matches
         * @description The search covers the text of every record that matches the filter, for two seconds per page. For each caller 2 of these requests run at once and 1000 wait; further ones are answered with 429. An admin key, or a key with search_as, may send X-Principals to get only what that person may see.
         *
         *     Needs the role `read`.
         */
        post: operations["grepContents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search a collection
         * @description Needs the role `read`.
         */
        post: operations["searchCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search several collections together
         * @description Ranks the results as if all records were in one collection, and names the collection of each result. The body, the headers and the answer are otherwise those of the search of one collection.
         *
         *     Needs the role `read`.
         */
        post: operations["searchCollections"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/internal/filter-schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the JSON Schema of the search filter
         * @description Needs the role `read`.
         */
        get: operations["getFilterSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/agentic-search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a collection: plan, search, evaluate, answer
         * @description Needs the feature flag AGENTIC_SEARCH. Each request counts against `quotas.agentic_queries_per_hour`.
         *
         *     Needs the role `read`.
         */
        post: operations["agenticSearch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/agentic-search/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a collection and watch the steps
         * @description Server-Sent Events, each a `data:` line with JSON. The types are `planning`, `search` and `evaluation`; the last event is `done`, with the answer of the route without `/stream`, or `error`. A comment line every 15 seconds keeps the connection alive. The search stops when the client disconnects.
         *
         *     Needs the role `read`.
         */
        post: operations["streamAgenticSearch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a collection, and repair it
         * @description Compares records, chunks, words and vectors with each other, in the database and in the memory of the process that answers.
         *
         *     Needs the role `admin`.
         */
        post: operations["checkCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/reindex": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make words and vectors again from the stored records
         * @description The run works in the background and does not ask the sources. Searches go on.
         *
         *     Needs the role `admin`.
         */
        post: operations["reindexCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the maintenance runs of a collection, newest first
         * @description Needs the role `admin`.
         */
        get: operations["listMaintenanceRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{readable_id}/maintenance/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the progress of a maintenance run
         * @description Needs the role `admin`.
         */
        get: operations["getMaintenanceRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of the service
         * @description Version, database, search index, models, memory and unfinished jobs. Records, passages and jobs are those of the organization; the rest concerns the whole service.
         *
         *     Needs the role `admin`.
         */
        get: operations["getSystemState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the backups that the service has made, newest first
         * @description A backup holds all organizations, so this needs the key of the operator (QUARRY_OPERATOR_KEY), or on a single-user install without that setting an admin key that reaches every organization.
         *
         *     Needs the role `admin`.
         */
        get: operations["listBackups"];
        put?: never;
        /**
         * Make a backup of the whole service
         * @description A worker writes it into the folder of backups (QUARRY_BACKUP_DIR) while the service runs, one at a time. A backup holds all organizations, so this needs the key of the operator (QUARRY_OPERATOR_KEY), or on a single-user install without that setting an admin key that reaches every organization.
         *
         *     The audit log records it as `backup.created`.
         *
         *     Needs the role `admin`.
         */
        post: operations["createBackup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backups/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of a backup
         * @description A backup holds all organizations, so this needs the key of the operator (QUARRY_OPERATOR_KEY), or on a single-user install without that setting an admin key that reaches every organization.
         *
         *     Needs the role `admin`.
         */
        get: operations["getBackup"];
        put?: never;
        post?: never;
        /**
         * Delete a backup with its file
         * @description A backup holds all organizations, so this needs the key of the operator (QUARRY_OPERATOR_KEY), or on a single-user install without that setting an admin key that reaches every organization.
         *
         *     The audit log records it as `backup.deleted`.
         *
         *     Needs the role `admin`.
         */
        delete: operations["deleteBackup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backups/{name}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a backup
         * @description The file, or the part of it that the header `Range` names, so that a download can go on where it was interrupted. A backup holds all organizations, so this needs the key of the operator (QUARRY_OPERATOR_KEY), or on a single-user install without that setting an admin key that reaches every organization.
         *
         *     The audit log records it as `backup.downloaded`.
         *
         *     Needs the role `admin`.
         */
        get: operations["downloadBackup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backups/{name}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a backup
         * @description A worker reads the whole file and compares it with its digests, as `quarry restore --check` does; `check` of the backup has the outcome. A backup holds all organizations, so this needs the key of the operator (QUARRY_OPERATOR_KEY), or on a single-user install without that setting an admin key that reaches every organization.
         *
         *     Needs the role `admin`.
         */
        post: operations["checkBackup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook subscriptions, newest first
         * @description Refuses keys that are limited to collections.
         *
         *     Needs the role `read`.
         */
        get: operations["listWebhookSubscriptions"];
        put?: never;
        /**
         * Subscribe an endpoint to events
         * @description This sends nothing to the URL. GET of the subscription shows the secret with include_secret=true.
         *
         *     The audit log records it as `webhook.created`.
         *
         *     Refuses keys that are limited to collections.
         *
         *     Needs the role `member`.
         */
        post: operations["createWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook subscription with its newest attempts
         * @description Refuses keys that are limited to collections.
         *
         *     Needs the role `read`.
         */
        get: operations["getWebhookSubscription"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook subscription; nothing more is delivered
         * @description The audit log records it as `webhook.deleted`.
         *
         *     Refuses keys that are limited to collections.
         *
         *     Needs the role `member`.
         */
        delete: operations["deleteWebhookSubscription"];
        options?: never;
        head?: never;
        /**
         * Change, disable or enable a webhook subscription
         * @description The audit log records it as `webhook.updated`.
         *
         *     Refuses keys that are limited to collections.
         *
         *     Needs the role `member`.
         */
        patch: operations["updateWebhookSubscription"];
        trace?: never;
    };
    "/v1/webhooks/subscriptions/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new signing secret
         * @description For 24 hours deliveries are also signed with the old secret.
         *
         *     The audit log records it as `webhook.secret_rotated`.
         *
         *     Refuses keys that are limited to collections.
         *
         *     Needs the role `member`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/subscriptions/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message to an endpoint
         * @description Refuses keys that are limited to collections.
         *
         *     Needs the role `member`.
         */
        post: operations["testWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/subscriptions/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver the undelivered messages of a period
         * @description Refuses keys that are limited to collections.
         *
         *     Needs the role `member`.
         */
        post: operations["recoverWebhookMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/subscriptions/{id}/recover/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the progress of a recovery
         * @description Refuses keys that are limited to collections.
         *
         *     Needs the role `read`.
         */
        get: operations["getWebhookRecovery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages, newest first
         * @description The messages of the last 30 days, also those that no subscription receives.
         *
         *     Refuses keys that are limited to collections.
         *
         *     Needs the role `read`.
         */
        get: operations["listWebhookMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/messages/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a message
         * @description Refuses keys that are limited to collections.
         *
         *     Needs the role `read`.
         */
        get: operations["getWebhookMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the tool server (Model Context Protocol, JSON-RPC 2.0)
         * @description Revisions 2024-11-05 to 2026-07-28, streamable HTTP. The tools reach every collection that the API key may read, or that the account of an OAuth access token may; the header x-collection-readable-id narrows them to one. Up to revision 2025-11-25, a request without mcp-session-id begins a session, and that header of the answer has its id. A key or account may begin 100 sessions per hour. A session ends when it is idle for 30 minutes, and serves only the address and user agent that began it. An admin key or one with search_as may send X-Principals to search as a person.
         *
         *     Needs the role `read`.
         */
        post: operations["callToolServer"];
        /**
         * End a session of the tool server
         * @description Needs the role `read`.
         */
        delete: operations["endToolServerSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-connections/{id}/entities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Push entities
         * @description One push may have at most 1,000 entities and 10 MiB. All entities become searchable together when the job is COMPLETED. With `wait` the answer comes when the job has ended: a 200 with the job, whose status may also be FAILED. After 30 seconds it is a 503 with the code `still_running`; the push goes on. It also goes on when the client disconnects.
         *
         *     A form (`multipart/form-data`) pushes one file of at most 25 MB: its part `file` is the file, and `entity` the entity as JSON without a text. The text of the file is extracted as in every source; what is inside of it, such as the attachments of a mail, becomes entities of its own.
         *
         *     The same `Idempotency-Key` with another body is a 422 with the code `idempotency_key_reused`.
         *
         *     Needs the role `member`.
         */
        post: operations["pushEntities"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Acceptance: {
            /** @description The token is in the link, behind #token=. */
            token: string;
            /** @description Somebody who already has an account gives the password of the account. */
            password: string;
            name?: string;
        };
        AgenticAnswer: {
            results: components["schemas"]["AgenticResult"][];
            answer: {
                text: string;
                /** @description Chunks among the results. */
                citations: {
                    entity_id: string;
                }[];
            };
            metadata: {
                /** @description Steps that a built-in method took, at least once, instead of a language model. `embedding`: in some search, the embedder has failed, and nothing was compared by meaning. */
                degraded: ("plan" | "evaluate" | "answer" | "embedding")[];
                /** @description Quality that the last evaluation gave. */
                quality_score: number;
                /**
                 * @description Reason for which the search ended.
                 * @enum {string}
                 */
                stopped_by: "answered" | "nothing_new" | "single_pass" | "searches" | "time" | "tokens";
                usage: {
                    searches: number;
                    /** @description Number of times that the chunks around a found chunk were read. */
                    reads: number;
                    model: string | null;
                    /** @description Number of calls that gave a usable answer, with their retries. */
                    llm_calls: number;
                    /** @description Tokens of all calls, also of answers that could not be used. */
                    input_tokens: number;
                    output_tokens: number;
                };
                /** @description Last answer of each source that is searched live; absent when there is none. */
                federated?: {
                    source_connection_id: string;
                    source_name: string;
                    /** @enum {string} */
                    status: "answered" | "failed" | "timeout";
                    /** @description Number of found results that match the filter. */
                    results: number;
                    /** @description Reason why the source has not answered. */
                    message?: string;
                }[];
            };
        };
        AgenticDone: {
            results: components["schemas"]["AgenticResult"][];
            answer: {
                text: string;
                /** @description Chunks among the results. */
                citations: {
                    entity_id: string;
                }[];
            };
            metadata: {
                /** @description Steps that a built-in method took, at least once, instead of a language model. `embedding`: in some search, the embedder has failed, and nothing was compared by meaning. */
                degraded: ("plan" | "evaluate" | "answer" | "embedding")[];
                /** @description Quality that the last evaluation gave. */
                quality_score: number;
                /**
                 * @description Reason for which the search ended.
                 * @enum {string}
                 */
                stopped_by: "answered" | "nothing_new" | "single_pass" | "searches" | "time" | "tokens";
                usage: {
                    searches: number;
                    /** @description Number of times that the chunks around a found chunk were read. */
                    reads: number;
                    model: string | null;
                    /** @description Number of calls that gave a usable answer, with their retries. */
                    llm_calls: number;
                    /** @description Tokens of all calls, also of answers that could not be used. */
                    input_tokens: number;
                    output_tokens: number;
                };
                /** @description Last answer of each source that is searched live; absent when there is none. */
                federated?: {
                    source_connection_id: string;
                    source_name: string;
                    /** @enum {string} */
                    status: "answered" | "failed" | "timeout";
                    /** @description Number of found results that match the filter. */
                    results: number;
                    /** @description Reason why the source has not answered. */
                    message?: string;
                }[];
            };
            /** @constant */
            type: "done";
        };
        AgenticEvaluation: {
            /** @constant */
            type: "evaluation";
            quality_score: number;
            needs_refinement: boolean;
        };
        AgenticPlanning: {
            /** @constant */
            type: "planning";
            reasoning: string;
            strategy: string;
        };
        AgenticRequest: {
            /** @description Question or words to search for, at most 2,048 tokens of cl100k_base. */
            query: string;
            /**
             * @description thinking: searches, evaluates and may search again; fast: a single pass.
             * @default thinking
             * @enum {string}
             */
            mode?: "thinking" | "fast";
            /**
             * @description OR joins the groups, and AND joins the conditions of a group. Every search of the agent has this filter. It has at most 50,000 characters of JSON. At most 50 of its keys have more than ten parts.
             * @default []
             */
            filter?: ({
                /** @description Key of the standard filter. The prefix `service_system_metadata.` is allowed and changes nothing. */
                field: string;
                /** @enum {string} */
                operator: "equals" | "not_equals" | "contains" | "greater_than" | "less_than" | "greater_than_or_equal" | "less_than_or_equal" | "in" | "not_in";
                value: (string | number | boolean) | (string | number | boolean)[];
            }[] | {
                conditions: {
                    /** @description Key of the standard filter. The prefix `service_system_metadata.` is allowed and changes nothing. */
                    field: string;
                    /** @enum {string} */
                    operator: "equals" | "not_equals" | "contains" | "greater_than" | "less_than" | "greater_than_or_equal" | "less_than_or_equal" | "in" | "not_in";
                    value: (string | number | boolean) | (string | number | boolean)[];
                }[];
            })[];
            /** @description Maximum number of results; 20 when omitted. */
            limit?: number;
        };
        AgenticResult: {
            /** @description The id of the chunk. */
            entity_id: string;
            name: string;
            relevance_score: number;
            /** @description The chunk as Markdown. */
            textual_representation: string;
            breadcrumbs: {
                entity_id: string;
                name: string;
                entity_type: string;
            }[];
            /** @description Page, slide, sheet or time of the document at which the passage begins: `page 12`, `slide 3`, `sheet Budget`, `time 00:12:04`; null for a document without such parts. */
            place: string | null;
            /** @description Address of the record; empty when the source gives none. */
            web_url: string;
            /** @description Time of creation; empty when the source gives none. */
            created_at: string;
            /** @description Time of the last change; empty when the source gives none. */
            updated_at: string;
            service_system_metadata: {
                source_name: string;
                entity_type: string;
                sync_id: string;
                sync_job_id: string;
                chunk_index: number;
                original_entity_id: string;
            };
            access: {
                viewers: string[] | null;
                is_public: boolean;
            };
            raw_source_fields: {
                [key: string]: unknown;
            };
        };
        AgenticSearched: {
            /** @constant */
            type: "search";
            query: string;
            results_found: number;
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            role: "read" | "member" | "admin";
            all_organizations: boolean;
            search_as: boolean;
            /** @description readable_ids of the collections to which the key is limited. A deleted collection is not in the list, and the key does not reach a new collection of the same name. */
            collections: string[] | null;
            expires_at: string | null;
            last_used_at: string | null;
            /** Format: date-time */
            created_at: string;
            created_by_email: string;
        };
        ApiKeyWithValue: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            role: "read" | "member" | "admin";
            all_organizations: boolean;
            search_as: boolean;
            /** @description readable_ids of the collections to which the key is limited. A deleted collection is not in the list, and the key does not reach a new collection of the same name. */
            collections: string[] | null;
            expires_at: string | null;
            last_used_at: string | null;
            /** Format: date-time */
            created_at: string;
            created_by_email: string;
            /** @description The key itself; it is shown only now. */
            key: string;
        };
        AuditEvent: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            action: "api_key.created" | "api_key.rotated" | "api_key.deleted" | "auth_provider.created" | "auth_provider.updated" | "auth_provider.deleted" | "backup.created" | "backup.downloaded" | "backup.deleted" | "collection.created" | "collection.updated" | "collection.deleted" | "member.invited" | "member.joined" | "member.updated" | "member.removed" | "organization.created" | "organization.updated" | "organization.deleted" | "password.changed" | "session.opened" | "session.ended" | "source_connection.created" | "source_connection.updated" | "source_connection.deleted" | "source_connection.sign_in_renewed" | "source_connection.signed_in" | "source_rate_limit.set" | "source_rate_limit.removed" | "sync_job.deletions_confirmed" | "transformer.created" | "transformer.updated" | "transformer.deleted" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.deleted";
            actor: {
                /**
                 * @description An operator used the command line on the machine of the data.
                 * @enum {string}
                 */
                type: "user" | "api_key" | "operator";
                id: string | null;
                name: string | null;
                /** @description E-mail of the account, or of the maker of the key. */
                email: string | null;
            };
            target: {
                type: string;
                id: string;
                name: string | null;
            };
            /** @description The request came from this address of the network. */
            address: string | null;
            /** @description What was set, such as a role, or the names of the changed fields; never a secret. */
            details: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
        };
        Auth: {
            direct?: {
                credentials: {
                    [key: string]: unknown;
                };
            };
            oauth_browser?: {
                /** Format: uri */
                redirect_uri?: string;
                client_id?: string;
                client_secret?: string;
            };
            oauth_token?: {
                access_token: string;
                refresh_token?: string;
                /** Format: date-time */
                expires_at?: string;
                client_id?: string;
                client_secret?: string;
            };
            auth_provider?: {
                provider_readable_id: string;
                provider_config?: {
                    [key: string]: unknown;
                };
            };
        };
        AuthProvider: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            readable_id: string;
            name: string;
            /** @enum {string} */
            short_name: "custom" | "nango" | "composio" | "pipedream";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
            created_by_email: string;
            modified_by_email: string;
        };
        AuthProviderChange: {
            name?: string;
            /** @description What signs in to the provider. `custom`: `url`, `secret`. `nango`: `secret_key`, `base_url`. `composio`: `api_key`, `base_url`. `pipedream`: `client_id`, `client_secret`, `project_id`, `environment`, `base_url`. It is stored encrypted and never returned. */
            credentials?: {
                [key: string]: unknown;
            };
            /** @description It cannot change. */
            readable_id?: string;
            /**
             * @description It cannot change.
             * @enum {string}
             */
            short_name?: "custom" | "nango" | "composio" | "pipedream";
        };
        Authentication: {
            credentials?: {
                [key: string]: unknown;
            };
            access_token?: string;
            refresh_token?: string;
            /** Format: date-time */
            expires_at?: string;
            /** Format: uri */
            redirect_uri?: string;
            client_id?: string;
            client_secret?: string;
            provider_readable_id?: string;
            provider_config?: {
                [key: string]: unknown;
            };
        };
        Backup: {
            /** @description Name of the file in the folder of backups. */
            name: string;
            /** @enum {string} */
            status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED";
            /**
             * @description Scheduled backups are removed when newer ones take their place.
             * @enum {string}
             */
            trigger: "request" | "schedule";
            /** Format: date-time */
            created_at: string;
            /** @description The backup has the state of the database shortly after this time. */
            started_at: string | null;
            ended_at: string | null;
            size_bytes: number | null;
            tables: number | null;
            rows: number | null;
            /** @description Digest of all rows, which a restore of this backup prints, too. */
            digest: string | null;
            /** @description Why there is no backup, and what to do. */
            error: string | null;
            /** @description The process that answers finds the file in its folder, as large as it was written. */
            is_available: boolean;
            /** @description The last check of the file; null when nobody has asked for one. */
            check: {
                /** @enum {string} */
                status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED";
                ended_at: string | null;
                error: string | null;
            } | null;
        };
        Collection: {
            /** Format: uuid */
            id: string;
            name: string;
            readable_id: string;
            vector_size: number;
            embedding_model_name: string;
            /** @description Null means that both are true. A change takes effect with the next full sync. */
            sync_config: {
                handlers: {
                    /** @description When false, entities are stored, but not chunked or embedded, so no search finds them. */
                    enable_vector_handlers: boolean;
                    /** @description When false, entities are found, but GET /v1/entities does not list them. */
                    enable_metadata_handlers: boolean;
                };
            } | null;
            /** @enum {string} */
            status: "NEEDS_SOURCE" | "ACTIVE" | "ERROR";
            /** @description Oldest `true_as_of` of its source connections, federated ones left out; null when one of them has none yet, and without such a connection. */
            true_as_of: string | null;
            /** @description Number of its source connections. */
            source_connections: number;
            entities: components["schemas"]["CollectionEntities"];
            /** Format: uuid */
            organization_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
            created_by_email: string;
            modified_by_email: string;
        };
        CollectionContents: {
            readable_id: string;
            name: string;
            status: string;
            source_names: string[];
            /** @description Source connections with records, by name. Those that are searched live have none. */
            source_connections: {
                /** Format: uuid */
                id: string;
                name: string;
                source_name: string;
                /** @description Number of records, or null when the caller may see only some of them. */
                records: number | null;
            }[];
            /** @description Types that have entities, with the number of their entities. */
            entity_types: {
                entity_type: string;
                /** @description Number of entities, or null when the caller may see only some of them. */
                count: number | null;
            }[];
            /** @description Fields of the source that the entities have, as a filter names them; 10,000 at most. A person gets the fields of all records that everyone may see. Of the other records, a person gets the fields of the latest 50 in each connection that this person may see. A filter may also name fields that are missing here. */
            metadata_fields: string[];
        };
        CollectionEntities: {
            total_entities: number;
            by_type: {
                [key: string]: {
                    count: number;
                };
            };
            /** @description By short_name of the source, for each source that a connection has. */
            by_source: {
                [key: string]: {
                    count: number;
                    source_connections: number;
                };
            };
        };
        CollectionPatch: {
            name?: string;
            /** @description Null means that both are true. A change takes effect with the next full sync. */
            sync_config?: {
                handlers: {
                    /** @description When false, entities are stored, but not chunked or embedded, so no search finds them. */
                    enable_vector_handlers: boolean;
                    /** @description When false, entities are found, but GET /v1/entities does not list them. */
                    enable_metadata_handlers: boolean;
                };
            } | null;
        };
        ContentDocument: {
            /** @description Identifier of the record, unique within the collection. */
            id: string;
            /** @description The identifier in the source. */
            entity_id: string;
            name: string;
            entity_type: string;
            source_name: string;
            /** @description Names from the root to the parent. */
            breadcrumbs: string[];
            url: string;
            updated_at: string | null;
            /** @description As of when the record is true: `true_as_of` of its source connection. A record whose deletion is held back is older. */
            true_as_of: string | null;
            /**
             * Format: uuid
             * @description UUID of the record, as the routes below `/v1/entities` take it.
             */
            entity_record_id: string;
            /** Format: uuid */
            source_connection_id: string;
            source_connection_name: string;
            /**
             * Format: uuid
             * @description Job that created or last changed the record.
             */
            sync_job_id: string;
            /**
             * Format: date-time
             * @description When the record first came here.
             */
            first_written_at: string;
            /**
             * Format: date-time
             * @description When it last changed here.
             */
            last_written_at: string;
            /** @description Fields of the source. */
            metadata: {
                [key: string]: unknown;
            };
            total_chunks: number;
            chunks: {
                position: number;
                heading: string | null;
                page: number | null;
                /** @description Page, slide, sheet or time of the document at which the passage begins: `page 12`, `slide 3`, `sheet Budget`, `time 00:12:04`; null for a document without such parts. */
                place: string | null;
                /** @description Line of the text of the record in which the passage begins, counted from 1; null for live results, and until a record from before an upgrade is read again. */
                line: number | null;
                text: string;
            }[];
        };
        ContentItem: {
            /** @description Identifier of the record, unique within the collection. */
            id: string;
            /** @description The identifier in the source. */
            entity_id: string;
            name: string;
            entity_type: string;
            source_name: string;
            /** @description Names from the root to the parent. */
            breadcrumbs: string[];
            url: string;
            updated_at: string | null;
            /** @description As of when the record is true: `true_as_of` of its source connection. A record whose deletion is held back is older. */
            true_as_of: string | null;
        };
        ContentList: {
            items: components["schemas"]["ContentItem"][];
            /** @description Give this value as `after` to get the next page; it is null on the last page. A page ends after two seconds, even when it is not full. */
            next: string | null;
        };
        ContentTree: {
            /** @description Breadcrumbs from the root to `below`; empty without it. */
            path: {
                /** @description The identifier in the source; `below` of the list and the tree takes it. */
                id: string;
                name: string;
                type: string;
            }[];
            /** @description What is directly below, such as folders. A later page may have the same ones again. */
            branches: {
                /** @description The identifier in the source; `below` of the list and the tree takes it. */
                id: string;
                name: string;
                type: string;
                /** @description Records below it that this page has met. */
                records: number;
            }[];
            /** @description Records that are directly below. */
            items: components["schemas"]["ContentItem"][];
            /** @description Give this value as `after` to get the next page; it is null on the last page. A page ends after two seconds, even when it is not full. */
            next: string | null;
        };
        DoctorReport: {
            collection_readable_id: string;
            checked: {
                entities: number;
                chunks: number;
                /** @description Number of chunks whose words were checked. */
                words: number;
                vectors: number;
                /** @description Number of chunks in the memory of the process that answers. Other processes have their own copies. */
                in_memory: number;
            };
            /** @description Deleted source connections whose rows still wait for the clean-up, and their entities. They are not a problem. */
            pending: {
                source_connections: number;
                entities: number;
            };
            problems: components["schemas"]["MaintenanceProblem"][];
            /** @description Run that repairs or compares in the background; null when there is nothing to repair or compare. */
            run: components["schemas"]["MaintenanceRun"] | null;
        };
        DoctorRequest: {
            /**
             * @description Repairs the problems that can be repaired, in the background.
             * @default false
             */
            repair?: boolean;
            /**
             * Format: uuid
             * @description Also compares this connection, in the background, with what its source lists.
             */
            source_connection_id?: string;
        };
        EntityAccess: {
            /** @description Principals that may see the record; null when its source does not restrict it. */
            viewers: string[] | null;
            is_public: boolean;
            /** @description Answer about the `principal` of the query; null without one. */
            asked: {
                principal: string;
                may_see: boolean;
                /**
                 * @description Why: everybody may see it, its source does not restrict it, it names the principal, or only groups of the principal; `none` when the principal may not see it.
                 * @enum {string}
                 */
                reason: "public" | "unrestricted" | "named" | "group" | "none";
                /** @description Viewers of the record to which the principal belongs as a member. */
                through: string[];
            } | null;
        };
        EntityCountsOverTime: {
            /** @description Points, the oldest first, at most 500. A point is the end of a job that changed the counts, and they are the same until the next point. When there are more, older points are dropped evenly over the time. */
            points: {
                /** Format: date-time */
                at: string;
                total_entities: number;
                /** @description Counts of the 20 most frequent types; `total_entities` counts all types. */
                by_type: {
                    [key: string]: number;
                };
            }[];
        };
        EntityDefinition: {
            /**
             * Format: uuid
             * @description Identifier that is the same in every installation.
             */
            id: string;
            name: string;
            source_short_name: string;
            /** @description JSON Schema of the fields that only entities of this definition have. */
            json_schema: {
                [key: string]: unknown;
            };
        };
        EntityRecord: {
            /** Format: uuid */
            id: string;
            /** @description The identifier in the source. */
            entity_id: string;
            /**
             * Format: uuid
             * @description The job that created or last changed it.
             */
            sync_job_id: string;
            /** Format: uuid */
            sync_id: string;
            entity_definition_id: string | null;
            /** @description sha256:<hex> of the content and of the fields that a search shows. */
            hash: string;
            /** Format: uuid */
            organization_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
        };
        Error: {
            /** @description A message, or on 422 a list of faults, which is cut when it is very long. */
            detail: string | {
                /** @description Path of the fault, beginning with the part of the request. */
                loc: (string | number)[];
                msg: string;
                type: string;
            }[];
            code: string;
            request_id: string;
        };
        Explanation: {
            /** @description One entry for each query to the index. The query and each of its variations have a `meaning` arm of their own. */
            arms: {
                /** @enum {string} */
                arm: "words" | "meaning";
                /** @description Rank of the result in this arm, from 1; null when the arm did not find the result. */
                rank: number | null;
                /** @description Arm `words`: BM25 divided by the most that the query can reach. Arm `meaning`: the cosine with the query, at least 0. */
                score: number | null;
            }[];
            /** @description The `adds` of all parts sum up to the score. The part named `place` is negative: it keeps the score below those of the results before it. */
            parts: {
                name: string;
                value: number;
                weight: number;
                adds: number;
            }[];
            access: {
                /** @enum {string} */
                reason: "organization" | "public" | "unrestricted" | "viewer" | "group";
                /** @description The viewer or group that gives access to the result. */
                principal: string | null;
            };
        };
        FieldOption: {
            /** @description Value for the field, or for its list. */
            value: string;
            title: string;
            description: string | null;
        };
        GrepAnswer: {
            /** @description Records with lines that match. */
            records: {
                /** @description Identifier of the record, unique within the collection. */
                id: string;
                /** @description The identifier in the source. */
                entity_id: string;
                name: string;
                entity_type: string;
                source_name: string;
                /** @description Names from the root to the parent. */
                breadcrumbs: string[];
                url: string;
                updated_at: string | null;
                /** @description As of when the record is true: `true_as_of` of its source connection. A record whose deletion is held back is older. */
                true_as_of: string | null;
                lines: {
                    /** @description Position of the chunk that has the line. */
                    position: number;
                    /** @description The line. A long line is cut around the match. */
                    line: string;
                }[];
            }[];
            /** @description Number of chunks that were searched. */
            searched: number;
            /** @description Share of the chunks that the caller may see which this page and those before it have searched; 1 when nothing is left. */
            looked_at: number;
            /** @description Give this value as `after` to get the next page; it is null on the last page. A page ends after two seconds, even when it is not full. */
            next: string | null;
        };
        GrepRequest: {
            /** @description Value of `next` of the previous page. */
            after?: string;
            entity_type?: string;
            source_name?: string;
            /** @description A regular expression of RE2. */
            pattern: string;
            /** @default false */
            ignore_case?: boolean;
            filter?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Number of lines after which the page ends. The page completes the chunk of the last line.
             * @default 100
             */
            limit?: number;
        };
        Health: {
            /** @constant */
            status: "ok";
        };
        HeldBackDeletion: {
            /**
             * Format: uuid
             * @description Id of the entity record.
             */
            id: string;
            entity_id: string;
            entity_type: string;
            name: string;
            url: string;
            /** @description Names from the root to the parent. */
            breadcrumbs: string[];
        };
        Invitation: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string | null;
            /** @enum {string} */
            role: "read" | "member" | "admin";
            /**
             * @description Somebody invited has not accepted yet.
             * @enum {string}
             */
            status: "active" | "invited";
            /**
             * Format: date-time
             * @description The person joined, or was invited, at this time.
             */
            created_at: string;
            /** @description An invitation ends at this time. */
            expires_at: string | null;
            /** @description This admin made the invitation. It is null for members, and where the invitation is older than this field. */
            invited_by: {
                /** Format: uuid */
                id: string;
                name: string | null;
                email: string;
            } | null;
            /**
             * Format: uri
             * @description The link works once; it is shown only now.
             */
            invitation_url: string;
            /** @description Says whether the link was mailed to the person. */
            mail: components["schemas"]["InvitationMail"];
        };
        InvitationMail: {
            /**
             * @description sent: the mail server has taken the mail; off: no mail server is set.
             * @enum {string}
             */
            status: "sent" | "failed" | "off";
            /** @description Says why the mail was not sent; limited: within an hour the address was invited more than 5 times, or the organization has invited more than 100 times. */
            code: ("late" | "unreachable" | "broken" | "not_secure" | "login_refused" | "sender_refused" | "recipient_refused" | "refused" | "limited") | null;
            /** @description Says in a sentence why the mail was not sent, and what to do. */
            detail: string | null;
        };
        InvitationTerms: {
            /** @description Name of the organization. */
            organization: string;
            /** @description The invitation is for this address. */
            email: string;
            /** @enum {string} */
            role: "read" | "member" | "admin";
            /** Format: date-time */
            expires_at: string;
            /** @description This admin made the invitation. It is null where that is not known. */
            invited_by: {
                name: string | null;
                /** @description It is null for the owner of a fresh installation, whose address is no e-mail. */
                email: string | null;
            } | null;
        };
        InvitationToken: {
            /** @description The token is in the link, behind #token=. */
            token: string;
        };
        JobFailure: {
            entity_id: string;
            entity_type: string;
            stage: string;
            message: string;
            hint: string | null;
            /** Format: date-time */
            created_at: string;
        };
        JobSkipped: {
            entity_id: string;
            entity_type: string;
            /** @description One of the reasons that `skipped_by_reason` counts. */
            reason: string;
            /** @description Detail of this record, such as its size. */
            detail: string | null;
            /** @description Change that makes a later sync store the record. */
            hint: string | null;
            /** Format: date-time */
            created_at: string;
        };
        ListedSourceRateLimit: {
            source_short_name: string;
            /** @description Scope of a window: `org` when all connections of the organization share one, `connection` when each connection has its own. Null: the source cannot be limited. */
            rate_limit_level: ("org" | "connection") | null;
            /** @description Null: any number of requests is allowed. */
            limit: number | null;
            window_seconds: number | null;
            /** @description Null: no limit is configured. */
            id: string | null;
        };
        MaintenanceProblem: {
            /**
             * @description Name of the kind of problem. It is stable, so programs can branch on it.
             * @enum {string}
             */
            kind: "chunk_without_entity" | "chunk_without_body" | "body_without_chunk" | "chunk_without_words" | "words_without_chunk" | "wrong_words" | "wrong_vector" | "wrong_memory" | "wrong_totals" | "wrong_count" | "entity_without_chunks" | "unwanted_chunks" | "missing_chunk" | "wrong_chunks" | "broken_record" | "unreadable_record" | "missing_here" | "gone_at_source" | "outdated" | "not_listed";
            /** @description Description of the problem in words. */
            title: string;
            count: number;
            /** @description Up to ten examples of what is affected, such as ids of entities or numbers of chunks. */
            examples: string[];
            repairable: boolean;
            /** @description What to do about a problem that a repair cannot solve; null when a repair can. */
            hint: string | null;
        };
        MaintenanceRun: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "reindex" | "doctor";
            /** @enum {string} */
            status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED";
            collection_readable_id: string;
            /** @description Number of entities that the run processes. */
            entities_total: number;
            entities_done: number;
            /** @description Entities whose words and vectors were made again. */
            entities_rewritten: number;
            /** @description Entities whose stored record cannot be read. */
            entities_failed: number;
            /** @description Differences that a comparison with the source has found. */
            problems: components["schemas"]["MaintenanceProblem"][];
            errors: string[];
            /** Format: date-time */
            created_at: string;
            created_by_email: string;
            started_at: string | null;
            completed_at: string | null;
        };
        Me: {
            user: {
                /** Format: uuid */
                id: string;
                email: string;
                name: string | null;
                has_password: boolean;
            };
            /** @description Requests act in this organization; X-Organization-ID chooses another one. */
            organization: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            /** @enum {string} */
            role: "read" | "member" | "admin";
            /** @description The account is a member of these, the oldest first. */
            organizations: {
                /** Format: uuid */
                id: string;
                name: string;
                /** @enum {string} */
                role: "read" | "member" | "admin";
            }[];
        };
        Member: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string | null;
            /** @enum {string} */
            role: "read" | "member" | "admin";
            /**
             * @description Somebody invited has not accepted yet.
             * @enum {string}
             */
            status: "active" | "invited";
            /**
             * Format: date-time
             * @description The person joined, or was invited, at this time.
             */
            created_at: string;
            /** @description An invitation ends at this time. */
            expires_at: string | null;
            /** @description This admin made the invitation. It is null for members, and where the invitation is older than this field. */
            invited_by: {
                /** Format: uuid */
                id: string;
                name: string | null;
                email: string;
            } | null;
        };
        MemberPatch: {
            /** @enum {string} */
            role: "read" | "member" | "admin";
        };
        NewApiKey: {
            name: string;
            /**
             * @description Each role has all rights of the roles before it.
             * @default member
             * @enum {string}
             */
            role?: "read" | "member" | "admin";
            /** @description Must lie in the future; without it the key does not expire. A key that expires cannot make a key that lasts longer. */
            expires_at?: string | null;
            /**
             * @description The admin key can act in every organization in which its account is an admin, with the header X-Organization-ID. Only a key with all_organizations can make another such key.
             * @default false
             */
            all_organizations?: boolean;
            /**
             * @description Allows X-Principals for any role. An admin key does not need it.
             * @default false
             */
            search_as?: boolean;
            /** @description readable_ids of the collections to which the key is limited, for the roles read and member. Null: it reaches all collections, also later ones. */
            collections?: string[] | null;
        };
        NewAuthProvider: {
            name: string;
            /** @description Identifier of the provider in routes and in connections; made from the name when omitted. */
            readable_id?: string;
            /**
             * @description Kind of the provider.
             * @enum {string}
             */
            short_name: "custom" | "nango" | "composio" | "pipedream";
            /** @description What signs in to the provider. `custom`: `url`, `secret`. `nango`: `secret_key`, `base_url`. `composio`: `api_key`, `base_url`. `pipedream`: `client_id`, `client_secret`, `project_id`, `environment`, `base_url`. It is stored encrypted and never returned. */
            credentials: {
                [key: string]: unknown;
            };
        };
        NewCollection: {
            name: string;
            /** @description Identifier of the collection in routes; made from the name when omitted. */
            readable_id?: string;
            /** @description Null means that both are true. A change takes effect with the next full sync. */
            sync_config?: {
                handlers: {
                    /** @description When false, entities are stored, but not chunked or embedded, so no search finds them. */
                    enable_vector_handlers: boolean;
                    /** @description When false, entities are found, but GET /v1/entities does not list them. */
                    enable_metadata_handlers: boolean;
                };
            } | null;
        };
        NewMember: {
            /**
             * Format: email
             * @description Upper and lower case do not matter.
             */
            email: string;
            /** @enum {string} */
            role: "read" | "member" | "admin";
        };
        NewOrganization: {
            name: string;
        };
        NewSourceConnection: {
            name: string;
            /** @description A source type of GET /v1/sources. */
            short_name: string;
            readable_collection_id: string;
            description?: string | null;
            config?: {
                [key: string]: unknown;
            };
            schedule?: components["schemas"]["ScheduleInput"];
            /** @description Longest time between two full syncs of a continuous connection with a schedule, in hours; null sets no such limit. The default is 24 where only full syncs find deleted records, 168 where incremental ones find them too, and null where every sync is full. */
            full_every?: number | null;
            /** @description True when omitted. */
            sync_immediately?: boolean;
            /**
             * Format: uri
             * @description Another name for `redirect_uri` of `authentication`.
             */
            redirect_url?: string;
            authentication?: components["schemas"]["Authentication"];
            auth?: components["schemas"]["Auth"];
            transformers?: {
                /** Format: uuid */
                transformer_id: string;
                /** @default {} */
                config?: {
                    [key: string]: unknown;
                };
            }[];
        };
        NewTransformer: {
            name: string;
            description?: string | null;
            /** @description An exported async function of the module that takes exactly two parameters. */
            method_name: string;
            /** @description Path with extension, below QUARRY_TRANSFORMERS_DIR. */
            module_name: string;
            /** @description Definitions of the entities on which it acts. It does not get any others. */
            input_entity_definition_ids: string[];
            /** @description Definitions of the entities that it may return. */
            output_entity_definition_ids: string[];
            /** @description JSON Schema of its configuration. */
            config_schema: {
                [key: string]: unknown;
            };
        };
        NewWebhookSubscription: {
            /**
             * Format: uri
             * @description HTTPS, at a public address.
             */
            url: string;
            /** @description The events that are delivered. */
            event_types: ("sync.pending" | "sync.running" | "sync.completed" | "sync.failed" | "sync.cancelled" | "source_connection.created" | "source_connection.auth_completed" | "source_connection.deleted" | "collection.created" | "collection.updated" | "collection.deleted")[];
            /** @description Signing secret: whsec_ followed by base64. If the text is not base64, its UTF-8 bytes are the key. Without this field, a secret is generated. */
            secret?: string;
            description?: string | null;
            /** @description When true, nothing is delivered until it is enabled. False when omitted. */
            disabled?: boolean;
        };
        OptionsInput: {
            /** @description Name of a field of `config_fields` with `has_options`. */
            field: string;
            /** @description Direct credentials, which are not stored. Leave them out with `source_connection_id`. */
            credentials?: {
                [key: string]: unknown;
            };
            /** @description Id of a connection of this source. Its stored sign-in is used. */
            source_connection_id?: string;
            /** @description Settings that are chosen already. Those of the connection when omitted. Fields with `has_options` may be missing. */
            config?: {
                [key: string]: unknown;
            };
            /**
             * @description Text that the value, the title or the description contains, in any case.
             * @default
             */
            query?: string;
        };
        Organization: {
            /** Format: uuid */
            id: string;
            name: string;
            feature_flags: string[];
            quotas: {
                [key: string]: number | null;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
        };
        OrganizationPatch: {
            name?: string;
            /** @description These flags are on afterwards, and all others are off. */
            feature_flags?: ("AGENTIC_SEARCH" | "SOURCE_RATE_LIMITING")[];
            /** @description Changes the named quotas; the others stay. */
            quotas?: {
                /** @description Maximum number of agentic searches per hour; null: there is no limit. */
                agentic_queries_per_hour?: number | null;
            };
        };
        PasswordChange: {
            /** @description It is needed when the account has a password. */
            current_password?: string;
            /** @description It has 8 to 256 characters of any kind. */
            new_password: string;
        };
        PasswordSignIn: {
            /** @description The owner of a fresh installation is owner@localhost. */
            email: string;
            password: string;
        };
        Push: {
            /** @default [] */
            entities?: components["schemas"]["PushedEntity"][];
            /** @default [] */
            delete?: string[];
        };
        PushedEntity: {
            /** @description Identifier of the record in its source, at most 2,048 bytes of UTF-8. */
            entity_id: string;
            name: string;
            text: string;
            /** @description Type of the entity; PushedEntity when omitted. */
            entity_type?: string;
            /** Format: uri */
            url?: string;
            /** @description Ancestors from the root to the parent. */
            breadcrumbs?: {
                entity_id: string;
                name: string;
                entity_type: string;
            }[];
            /** Format: date-time */
            created_at?: string;
            /** Format: date-time */
            updated_at?: string;
            /** @description Further fields, nested at most 100 deep. */
            metadata?: {
                [key: string]: unknown;
            };
            access?: {
                viewers: string[] | null;
                is_public: boolean;
            };
        };
        Readiness: {
            /** @constant */
            status: "ok";
            /** @description What keeps the service from doing its whole work, although it can serve. */
            problems: {
                problem: string;
                /** @description What an operator does. */
                remedy: string;
            }[];
        };
        ScheduleInput: {
            /** @description Cron expression of five fields, in UTC; null means that no sync starts by itself. The default of a continuous connection is every 5 minutes, that of any other one daily. */
            cron?: string | null;
            /** @description If true, most syncs pull only new and changed records. The default is true for a source that reports changes by itself, and false for any other one. */
            continuous?: boolean;
            /** @description Field whose value grows with every change, such as `updated_at`. A sync finds new and changed records by it. */
            cursor_field?: string | null;
        };
        SearchAnswer: {
            results: components["schemas"]["SearchResult"][];
            /** @description Generated answer, present only when `generate_answer` is true. */
            completion?: string;
            metadata: {
                /** @description Options of the request that no model has served: none is configured, none has answered, or the search found nothing. A built-in method served them. `embedding`: the embedder has not answered, and nothing was compared by meaning. */
                degraded: ("expand_query" | "interpret_filters" | "rerank" | "generate_answer" | "embedding")[];
                /** @description Usage of the language models that were asked for this search. */
                usage?: {
                    model: string;
                    calls: number;
                    input_tokens: number;
                    output_tokens: number;
                }[];
                /** @description The filter that `interpret_filters` has found in the query. */
                interpreted_filter?: {
                    [key: string]: unknown;
                };
                /** @description One entry for each source that is searched live; absent when there is none. */
                federated?: {
                    source_connection_id: string;
                    source_name: string;
                    /** @enum {string} */
                    status: "answered" | "failed" | "timeout";
                    /** @description Number of found results that match the filter. */
                    results: number;
                    /** @description Reason why the source has not answered. */
                    message?: string;
                }[];
            };
        };
        SearchRequest: {
            /** @description Question or words to search for, at most 2,048 tokens of cl100k_base. */
            query: string;
            /**
             * @description neural: by meaning; keyword: by words (BM25); hybrid: both.
             * @default hybrid
             * @enum {string}
             */
            retrieval_strategy?: "hybrid" | "neural" | "keyword";
            filter?: {
                [key: string]: unknown;
            } | null;
            /** @default 0 */
            offset?: number;
            /** @default 10 */
            limit?: number;
            /**
             * @description Also searches for variations of the query.
             * @default true
             */
            expand_query?: boolean;
            /**
             * @description Makes a filter of restrictions in the text of the query, such as `since 2024-03-01`. `metadata.interpreted_filter` shows it.
             * @default false
             */
            interpret_filters?: boolean;
            /**
             * @description Reorders the best candidates by their text.
             * @default true
             */
            rerank?: boolean;
            /**
             * @description Answers the query from the results.
             * @default true
             */
            generate_answer?: boolean;
            /**
             * @description Drops results with a lower score. The score without `recency_bias` counts.
             * @default 0
             */
            score_threshold?: number;
            /**
             * @description Share of recency in the score: 0 ignores dates, 1 orders by date alone.
             * @default 0
             */
            recency_bias?: number;
            /**
             * @description Adds an explanation to each result.
             * @default false
             */
            explain?: boolean;
        };
        SearchResult: {
            /** @description The id of the chunk. */
            entity_id: string;
            source_name: string;
            md_content: string;
            /** @description These fields, and the fields of the source. A field of the source that has one of these names is shown as `source.<name>`. A filter names every field of the source `metadata.<name>`. */
            metadata: {
                name: string;
                entity_type: string;
                source_connection_id: string;
                created_at: string | null;
                updated_at: string | null;
                heading: string | null;
                page: number | null;
                /** @description Page, slide, sheet or time of the document at which the passage begins: `page 12`, `slide 3`, `sheet Budget`, `time 00:12:04`; null for a document without such parts. */
                place: string | null;
                /** @description Line of the text of the record in which the passage begins, counted from 1; null for live results, and until a record from before an upgrade is read again. */
                line: number | null;
            } & {
                [key: string]: unknown;
            };
            score: number;
            /** @description Names from the root to the parent. */
            breadcrumbs: string[];
            url: string;
            /** @description As of when the record is true: `true_as_of` of its source connection; null for a result of a source that is searched live. */
            true_as_of: string | null;
            /** @description Explanation of the result, present only when `explain` is true. */
            explanation?: components["schemas"]["Explanation"];
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string;
            /**
             * Format: date-time
             * @description It ends then, or earlier when it has not been used for 12 hours.
             */
            expires_at: string;
            /** @description The person signed in from this address of the network. */
            address: string;
            user_agent: string | null;
            /** @description The request came with this session. */
            current: boolean;
        };
        SignInMethods: {
            /** @constant */
            password: true;
            /** @description It is null when nobody signs in through an issuer. */
            issuer: {
                /** @description Host of the issuer. */
                name: string;
                /**
                 * Format: uri
                 * @description A browser opens this to sign in through the issuer.
                 */
                url: string;
            } | null;
        };
        SourceConnection: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            name: string;
            description: string | null;
            short_name: string;
            readable_collection_id: string;
            /** @enum {string} */
            status: "ACTIVE" | "PENDING_AUTH" | "SYNCING" | "ERROR" | "NEEDS_REAUTH" | "INACTIVE";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
            created_by_email: string;
            modified_by_email: string;
            /** @description Time at which the last completed sync began to read the source; null before the first one. Everything that the source had by then can be found, with the settings of that sync, except records that jobs list as failed or skipped. What was deleted at the source by then is gone, except deletions that wait for a confirmation, and, where only full syncs find deletions, those since the last full sync. Syncs that fail or are cancelled do not move the time. Of a push connection it is the time at which the newest completed push arrived. A federated source is asked live, so it has null. */
            true_as_of: string | null;
            auth: {
                method: string;
                authenticated: boolean;
                authenticated_at: string | null;
                /** @description Time at which the OAuth access token expires; null when it is not known. Most tokens are renewed before that. */
                expires_at: string | null;
                /** @description Account that has signed in, or null when the source cannot tell. */
                account: string | null;
                /** @description Why the newest sign-in in a browser has failed, with the codes that `redirect_uri` gets; null when it has not failed, and while the connection is authenticated. */
                sign_in_error: {
                    code: string;
                    message: string;
                } | null;
                /**
                 * Format: uri
                 * @description Link with which a person signs in. It works once and for 10 minutes, and is shown only when it is made.
                 */
                auth_url?: string;
            };
            config: {
                [key: string]: unknown;
            };
            schedule: {
                cron: string | null;
                next_run: string | null;
                continuous: boolean;
                cursor_field: string | null;
            };
            full_every: number | null;
            /** Format: uuid */
            sync_id: string;
            sync: {
                total_runs: number;
                successful_runs: number;
                failed_runs: number;
                last_job: {
                    /** Format: uuid */
                    id: string;
                    status: string;
                    started_at: string | null;
                    completed_at: string | null;
                    duration_seconds: number | null;
                    entities_inserted: number;
                    entities_updated: number;
                    entities_deleted: number;
                    entities_failed: number;
                    error: string | null;
                    error_details: components["schemas"]["SyncErrorDetails"] | null;
                } | null;
                /** @description Last full sync that completed, with the numbers of the records that it met, by type; null when none has completed. */
                last_full_job: {
                    /** Format: uuid */
                    id: string;
                    started_at: string | null;
                    completed_at: string | null;
                    entities_encountered: {
                        [key: string]: number;
                    };
                } | null;
            };
            entities: {
                total_entities: number;
                by_type: {
                    [key: string]: {
                        count: number;
                    };
                };
            };
            /** @description Newest job that holds deletions back and can still be confirmed, with their number; null when there is none. */
            deletions_held_back: {
                /** Format: uuid */
                job_id: string;
                count: number;
            } | null;
            /** @description How changes of a folder are noticed; null while it is not watched. */
            watch: {
                /**
                 * @description `watching`: a change is found as it happens. `polling`: not every change is noticed, so the source is also read every 5 minutes. `away`: the folder does not exist at the moment; what was read stays, and the folder is read again when it is back.
                 * @enum {string}
                 */
                state: "watching" | "polling" | "away";
                /** @description Why it is not `watching`, for people. */
                message: string | null;
            } | null;
            federated_search: boolean;
            transformers: {
                /** Format: uuid */
                transformer_id: string;
                config: {
                    [key: string]: unknown;
                };
            }[];
        };
        SourceConnectionJob: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            source_connection_id: string;
            /** @enum {string} */
            status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLING" | "CANCELLED";
            started_at: string | null;
            completed_at: string | null;
            duration_seconds: number | null;
            entities_inserted: number;
            entities_updated: number;
            entities_deleted: number;
            entities_failed: number;
            /** @description Number of records that are no longer at the source, and that this job kept because their deletion waits for a confirmation. */
            deletions_held_back: number;
            /** @description Counters by type. For each type the sum without `deleted` is its number in `entities_encountered`. Null for a job that began under an older version. */
            entities_by_type: {
                [key: string]: components["schemas"]["TypeCounts"];
            } | null;
            error: string | null;
            error_details: components["schemas"]["SyncErrorDetails"] | null;
            /** @description Reason why the job does not go on at the moment: it waits for its source, or the database takes no writes. */
            waits_for: {
                /** @description Reason in words. */
                reason: string;
                /** @description Expected end of the wait; null when it is not known. */
                until: string | null;
            } | null;
            /** @description Findings that need attention. A job does not fail because of them. */
            warnings: components["schemas"]["SyncWarning"][];
        };
        SourceConnectionPatch: {
            name?: string;
            description?: string | null;
            config?: {
                [key: string]: unknown;
            };
            schedule?: components["schemas"]["ScheduleInput"];
            /** @description Longest time between two full syncs of a continuous connection with a schedule, in hours; null sets no such limit. The default is 24 where only full syncs find deleted records, 168 where incremental ones find them too, and null where every sync is full. */
            full_every?: number | null;
            authentication?: components["schemas"]["Authentication"];
            auth?: components["schemas"]["Auth"];
            transformers?: {
                /** Format: uuid */
                transformer_id: string;
                /** @default {} */
                config?: {
                    [key: string]: unknown;
                };
            }[];
        };
        SourceField: {
            name: string;
            title: string;
            description: string;
            /** @description string, number, boolean, array or object. */
            type: string;
            required: boolean;
            /** @description True for a field that is stored encrypted and never returned. */
            secret?: boolean;
            /** @description True for a field that takes the whole text of a file, such as a JSON key. */
            file?: boolean;
            /** @description True for a field whose values the source knows: POST /v1/sources/{short_name}/options lists them. */
            has_options?: boolean;
            default?: unknown;
        };
        SourceRateLimit: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            source_short_name: string;
            /** @description At most this many requests in any window. */
            limit: number;
            /** @description Length of the sliding window. */
            window_seconds: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
        };
        SourceRateLimitSettings: {
            /** @description At most this many requests in any window. */
            limit: number;
            /**
             * @description Length of the sliding window.
             * @default 60
             */
            window_seconds?: number;
        };
        SourceType: {
            name: string;
            short_name: string;
            description: string;
            auth_methods: ("direct" | "oauth_browser" | "oauth_token" | "oauth_byoc" | "auth_provider")[];
            oauth_type: ("access_only" | "with_refresh") | null;
            /** @description Permissions that a person is asked for; null for a source without OAuth. */
            oauth_scopes: string[] | null;
            /** @description Address that an OAuth client for this service must be registered with. */
            redirect_uri: string | null;
            /** @description True when the source needs the user's own OAuth client. */
            requires_byoc: boolean;
            auth_config_class: string;
            config_class: string;
            class_name: string;
            /** @description Names of the entity definitions that the source yields. */
            output_entity_definitions: string[];
            /** @description Fields of direct credentials. */
            auth_fields: {
                fields: components["schemas"]["SourceField"][];
            } | null;
            config_fields: {
                fields: components["schemas"]["SourceField"][];
            };
            /** @description Kinds of auth providers that can keep the credentials of this source. */
            supported_auth_providers: string[];
            labels: string[];
            supports_continuous: boolean;
            /** @description True when the source reads the machine of Quarry. All its connections may sync more often than hourly; of any other source only continuous ones may. */
            is_local: boolean;
            federated_search: boolean;
            supports_access_control: boolean;
        };
        StartToken: {
            /** @description The token is in the link, behind #token=. */
            token: string;
        };
        StreamError: {
            /** @constant */
            type: "error";
            /** @description The code that the body of this error would have. */
            code: string;
            message: string;
        };
        SyncErrorDetails: {
            code: string;
            stage: string;
            message: string;
            retryable: boolean;
            entity_id?: string;
            entity_type?: string;
            status?: number;
            hint?: string;
        };
        SyncJob: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            sync_id: string;
            sync_name: string;
            /** Format: uuid */
            source_connection_id: string;
            readable_collection_id: string;
            /** Format: uuid */
            organization_id: string;
            /** @enum {string} */
            status: "created" | "pending" | "in_progress" | "completed" | "failed" | "cancelling" | "cancelled";
            scheduled: boolean;
            entities_inserted: number;
            entities_updated: number;
            entities_deleted: number;
            entities_kept: number;
            entities_skipped: number;
            entities_failed: number;
            entities_encountered: {
                [key: string]: number;
            };
            /** @description Counters by type. For each type the sum without `deleted` is its number in `entities_encountered`. Null for a job that began under an older version. */
            entities_by_type: {
                [key: string]: components["schemas"]["TypeCounts"];
            } | null;
            /** @description Numbers of records that were left out on purpose, by reason. Their sum is `entities_skipped`. */
            skipped_by_reason: {
                [key: string]: number;
            };
            /** @description Number of records that are no longer at the source, and that this job kept because their deletion waits for a confirmation. */
            deletions_held_back: number;
            /** @description Reason why the job does not go on at the moment: it waits for its source, or the database takes no writes. */
            waits_for: {
                /** @description Reason in words. */
                reason: string;
                /** @description Expected end of the wait; null when it is not known. */
                until: string | null;
            } | null;
            /** @description Findings that need attention. A job does not fail because of them. */
            warnings: components["schemas"]["SyncWarning"][];
            started_at: string | null;
            completed_at: string | null;
            failed_at: string | null;
            error: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
            created_by_email: string | null;
            modified_by_email: string | null;
        };
        SyncJobDetail: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            sync_id: string;
            sync_name: string;
            /** Format: uuid */
            source_connection_id: string;
            readable_collection_id: string;
            /** Format: uuid */
            organization_id: string;
            /** @enum {string} */
            status: "created" | "pending" | "in_progress" | "completed" | "failed" | "cancelling" | "cancelled";
            scheduled: boolean;
            entities_inserted: number;
            entities_updated: number;
            entities_deleted: number;
            entities_kept: number;
            entities_skipped: number;
            entities_failed: number;
            entities_encountered: {
                [key: string]: number;
            };
            /** @description Counters by type. For each type the sum without `deleted` is its number in `entities_encountered`. Null for a job that began under an older version. */
            entities_by_type: {
                [key: string]: components["schemas"]["TypeCounts"];
            } | null;
            /** @description Numbers of records that were left out on purpose, by reason. Their sum is `entities_skipped`. */
            skipped_by_reason: {
                [key: string]: number;
            };
            /** @description Number of records that are no longer at the source, and that this job kept because their deletion waits for a confirmation. */
            deletions_held_back: number;
            /** @description Reason why the job does not go on at the moment: it waits for its source, or the database takes no writes. */
            waits_for: {
                /** @description Reason in words. */
                reason: string;
                /** @description Expected end of the wait; null when it is not known. */
                until: string | null;
            } | null;
            /** @description Findings that need attention. A job does not fail because of them. */
            warnings: components["schemas"]["SyncWarning"][];
            started_at: string | null;
            completed_at: string | null;
            failed_at: string | null;
            error: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
            created_by_email: string | null;
            modified_by_email: string | null;
            sync_config: {
                [key: string]: unknown;
            } | null;
            sync_metadata: {
                trigger: string;
                attempt: number;
                full: boolean;
                chunks_written: number;
                bytes_fetched: number;
                requests: number;
            };
        };
        SyncJobDone: {
            /** @constant */
            type: "done";
            job: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                source_connection_id: string;
                /** @enum {string} */
                status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLING" | "CANCELLED";
                started_at: string | null;
                completed_at: string | null;
                duration_seconds: number | null;
                entities_inserted: number;
                entities_updated: number;
                entities_deleted: number;
                entities_failed: number;
                /** @description Number of records that are no longer at the source, and that this job kept because their deletion waits for a confirmation. */
                deletions_held_back: number;
                /** @description Counters by type. For each type the sum without `deleted` is its number in `entities_encountered`. Null for a job that began under an older version. */
                entities_by_type: {
                    [key: string]: components["schemas"]["TypeCounts"];
                } | null;
                error: string | null;
                error_details: components["schemas"]["SyncErrorDetails"] | null;
                /** @description Reason why the job does not go on at the moment: it waits for its source, or the database takes no writes. */
                waits_for: {
                    /** @description Reason in words. */
                    reason: string;
                    /** @description Expected end of the wait; null when it is not known. */
                    until: string | null;
                } | null;
                /** @description Findings that need attention. A job does not fail because of them. */
                warnings: components["schemas"]["SyncWarning"][];
                entities_kept: number;
                entities_skipped: number;
                /** @description Numbers of the records that the job has met, left-out ones included, by type. */
                entities_encountered: {
                    [key: string]: number;
                };
                /** @description Numbers of records that were left out on purpose, by reason. Their sum is `entities_skipped`. */
                skipped_by_reason: {
                    [key: string]: number;
                };
                chunks_written: number;
                bytes_fetched: number;
                /** @description Number of requests sent to the source. */
                requests: number;
            };
        };
        SyncJobProgress: {
            /** @constant */
            type: "progress";
            /** @enum {string} */
            status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLING" | "CANCELLED";
            entities_inserted: number;
            entities_updated: number;
            entities_deleted: number;
            entities_kept: number;
            entities_skipped: number;
            entities_failed: number;
            /** @description Numbers of the records that the job has met, left-out ones included, by type. */
            entities_encountered: {
                [key: string]: number;
            };
            /** @description Counters by type. For each type the sum without `deleted` is its number in `entities_encountered`. Null for a job that began under an older version. */
            entities_by_type: {
                [key: string]: components["schemas"]["TypeCounts"];
            } | null;
            /** @description Numbers of records that were left out on purpose, by reason. Their sum is `entities_skipped`. */
            skipped_by_reason: {
                [key: string]: number;
            };
            chunks_written: number;
            bytes_fetched: number;
            /** @description Number of requests sent to the source. */
            requests: number;
            /** @description Entities per second, over the last 10 seconds of the stream. */
            rate: number;
            /** @description Reason why the job waits; null while a worker works on it. */
            waits_for: {
                /** @description Reason in words. */
                reason: string;
                /** @description Expected end of the wait; null when it is not known. */
                until: string | null;
            } | null;
        };
        SyncWarning: {
            /** @enum {string} */
            code: "secrets_found" | "began_again";
            message: string;
            /** @description Number of affected records in this job, or how often the job has begun again from the start. */
            count: number;
            /** @description The `entity_id` of each of the first 10 affected records; empty for a person who is not an admin. */
            examples: string[];
            hint: string;
        };
        SystemState: {
            /** @description Version of Quarry. */
            version: string;
            node_version: string;
            /** @description Beginning of a command that finds this service by itself, in a terminal of its machine; in the folder of Quarry, where it begins with npm. Null where a command must be told the address and a key. */
            command_line: string | null;
            /** @description Parts that the process runs which answers. */
            roles: string[];
            /** Format: date-time */
            started_at: string;
            uptime_seconds: number;
            /** @description Reasons why the service cannot serve now; empty when it can. */
            not_ready: string[];
            database: {
                /** @enum {string} */
                kind: "sqlite" | "postgresql";
                version: string;
                /** @description Size of the whole database, with all organizations. */
                size_bytes: number;
                newest_migration: string;
            };
            index: {
                /**
                 * @description What finds words: lists in the memory of the process, or pg_textsearch.
                 * @enum {string}
                 */
                words: "memory" | "pg_textsearch";
                /**
                 * @description What compares meaning: a scan in memory, or pgvector.
                 * @enum {string}
                 */
                vectors: "scan" | "pgvector";
                /** @description Records of the organization. */
                records: number;
                /** @description Passages of the organization that searches can find. */
                passages: number;
                /** @description Collections with records that searches find by words only, because the embedder has changed; 100 at most. A reindex or the next full sync makes their vectors again. */
                without_vectors: {
                    collection_readable_id: string;
                    records: number;
                }[];
                /** @description Documents that the next full sync of their connection reads again, because a newer version of Quarry extracts more of their kind. */
                to_extract: {
                    /** @description Kind of the documents, such as `pdf`. */
                    kind: string;
                    records: number;
                }[];
            };
            models: {
                embedder: {
                    model: string;
                    is_built_in: boolean;
                    dimensions: number;
                };
                reranker: {
                    model: string;
                    is_built_in: boolean;
                };
                /** @description The first is asked, the next ones when it fails. Empty when none is set up. */
                language_models: string[];
                /** @description Options of searches that a built-in method serves, because no model for them is set up. */
                degraded: ("expand_query" | "interpret_filters" | "rerank" | "generate_answer")[];
            };
            /** @description Memory of the process that answers. */
            memory: {
                /** @description Memory that the process takes. */
                rss_bytes: number;
                /** @description Memory that the machine or its container has. */
                limit_bytes: number;
                /** @description Memory that vectors and words may take in each search thread (QUARRY_INDEX_MEMORY_MB). */
                index_budget_bytes: number;
                max_search_threads: number;
            };
            /** @description Jobs of the organization that have not ended. */
            jobs: {
                /** @description Syncs that a worker works on. */
                syncs_running: number;
                /** @description Syncs that wait for a worker, for their source or for room. */
                syncs_waiting: number;
                /** @description Runs of the doctor and reindexes, the oldest first; 100 at most. */
                maintenance: {
                    /** Format: uuid */
                    id: string;
                    /** @enum {string} */
                    kind: "reindex" | "doctor";
                    /** @enum {string} */
                    status: "PENDING" | "RUNNING";
                    collection_readable_id: string;
                    entities_total: number;
                    entities_done: number;
                }[];
            };
        };
        Transformer: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            method_name: string;
            module_name: string;
            input_entity_definition_ids: string[];
            output_entity_definition_ids: string[];
            config_schema: {
                [key: string]: unknown;
            };
            /** @description Null for the transformers of the system. */
            organization_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
            created_by_email: string;
            modified_by_email: string;
        };
        /** @description Fields that are left out keep their value. */
        TransformerPatch: {
            name?: string;
            description?: string | null;
            /** @description An exported async function of the module that takes exactly two parameters. */
            method_name?: string;
            /** @description Path with extension, below QUARRY_TRANSFORMERS_DIR. */
            module_name?: string;
            /** @description Definitions of the entities on which it acts. It does not get any others. */
            input_entity_definition_ids?: string[];
            /** @description Definitions of the entities that it may return. */
            output_entity_definition_ids?: string[];
            /** @description JSON Schema of its configuration. */
            config_schema?: {
                [key: string]: unknown;
            };
        };
        TypeCounts: {
            inserted: number;
            updated: number;
            deleted: number;
            kept: number;
            skipped: number;
            failed: number;
        };
        UsageDay: {
            /**
             * Format: date
             * @description A day in UTC.
             */
            date: string;
            /** @description Standard searches that were answered. */
            searches: number;
            /** @description Agentic searches that were accepted. */
            agentic_searches: number;
            /** @description Number of stored records when they were last counted on that day, which is done once an hour; null when they never were. */
            records: number | null;
        };
        WebhookDeliveryAttempt: {
            id: string;
            /** Format: uuid */
            message_id: string;
            /** @description Type of the message; null when the message is no longer kept. */
            event_type: string | null;
            /**
             * Format: uuid
             * @description The subscription.
             */
            endpoint_id: string;
            /**
             * @description pending: the attempt has not ended yet.
             * @enum {string}
             */
            status: "pending" | "success" | "failed";
            /** @description The first KiB of the body of the answer. */
            response: string;
            /** @description Status of the answer; 0 without an answer. */
            response_status_code: number;
            /** @description Reason of the failure; null when the attempt did not fail. */
            error: string | null;
            /**
             * Format: date-time
             * @description Start of the attempt, or the due time of a pending one.
             */
            timestamp: string;
            duration_ms: number | null;
            url: string;
        };
        WebhookMessage: {
            /**
             * Format: uuid
             * @description The header webhook-id of its deliveries.
             */
            id: string;
            event_type: string;
            /** @description The body of its deliveries. */
            payload: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            timestamp: string;
            /** @description The readable_id of the collection. */
            channels: string[];
            tags: string[] | null;
        };
        WebhookMessageDetail: {
            /**
             * Format: uuid
             * @description The header webhook-id of its deliveries.
             */
            id: string;
            event_type: string;
            /** @description The body of its deliveries. */
            payload: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            timestamp: string;
            /** @description The readable_id of the collection. */
            channels: string[];
            tags: string[] | null;
            /** @description Attempts at all endpoints, present only with include_attempts=true. */
            delivery_attempts?: components["schemas"]["WebhookDeliveryAttempt"][];
        };
        WebhookRecoverRequest: {
            /**
             * Format: date-time
             * @description Start of the recovered period.
             */
            since: string;
            /**
             * Format: date-time
             * @description End of the recovered period; now when omitted.
             */
            until?: string;
        };
        WebhookRecovery: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "running" | "completed";
            /** Format: date-time */
            since: string;
            until: string | null;
            /** @description Number of messages that became due so far: deliveries that did not exist were created, and failed and stopped ones were reset. */
            messages: number;
            /** Format: date-time */
            created_at: string;
            completed_at: string | null;
        };
        WebhookSubscription: {
            /** Format: uuid */
            id: string;
            url: string;
            filter_types: string[];
            description: string | null;
            disabled: boolean;
            disabled_at: string | null;
            /** @description Reason for which the service disabled it; null when a user disabled it or it is enabled. */
            disabled_reason: string | null;
            /**
             * @description failing: the newest three attempts failed; healthy: all of the newest ten succeeded; degraded: neither; unknown: there was no attempt.
             * @enum {string}
             */
            health_status: "healthy" | "degraded" | "failing" | "unknown";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        WebhookSubscriptionDetail: {
            /** Format: uuid */
            id: string;
            url: string;
            filter_types: string[];
            description: string | null;
            disabled: boolean;
            disabled_at: string | null;
            /** @description Reason for which the service disabled it; null when a user disabled it or it is enabled. */
            disabled_reason: string | null;
            /**
             * @description failing: the newest three attempts failed; healthy: all of the newest ten succeeded; degraded: neither; unknown: there was no attempt.
             * @enum {string}
             */
            health_status: "healthy" | "degraded" | "failing" | "unknown";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The newest 100 attempts, pending ones first. */
            delivery_attempts: components["schemas"]["WebhookDeliveryAttempt"][];
            /** @description Signing secret, present only with include_secret=true. */
            secret?: string;
        };
        WebhookSubscriptionPatch: {
            /**
             * Format: uri
             * @description HTTPS, at a public address.
             */
            url?: string;
            /** @description The events that are delivered. */
            event_types?: ("sync.pending" | "sync.running" | "sync.completed" | "sync.failed" | "sync.cancelled" | "source_connection.created" | "source_connection.auth_completed" | "source_connection.deleted" | "collection.created" | "collection.updated" | "collection.deleted")[];
            description?: string | null;
            /** @description When true, nothing is delivered. Pending deliveries stop; a recovery can deliver them later. */
            disabled?: boolean;
            /**
             * Format: date-time
             * @description Delivers the messages since this time that were not delivered. The subscription must be enabled, or become enabled by disabled: false.
             */
            recover_since?: string;
        };
    };
    responses: {
        /** @description The request cannot be answered. */
        Refused: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "the collection 'my-notes' does not exist: GET /v1/collections lists the existing ones",
                 *       "code": "not_found",
                 *       "request_id": "my-request-1"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service cannot answer. */
        Failed: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "the collection 'my-notes' does not exist: GET /v1/collections lists the existing ones",
                 *       "code": "not_found",
                 *       "request_id": "my-request-1"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
         * @example 0192f0c4-7a00-7000-8000-000000000001
         */
        "X-Organization-ID": string;
        /**
         * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
         * @example my-request-1
         */
        "X-Request-ID": string;
        /**
         * @description The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.
         * @example user:ann@example.org, group:engineering
         */
        "X-Principals": string;
        /**
         * @description The readable_id of the only collection that the tools search. Without it, they search all that the caller may read.
         * @example my-notes
         */
        "X-Collection-Readable-ID": string;
        /**
         * @description Makes it safe to repeat a push: at most 255 characters of ASCII. Within 24 hours, the same key with the same body on this connection is the same job, and the answer has that job as it is now.
         * @example orders-2026-11-28
         */
        "Idempotency-Key": string;
        /**
         * @description The part of the file that is wanted, as one range of bytes. Without it, the answer has the whole file.
         * @example bytes=1048576-
         */
        Range: string;
        /**
         * @description The id of the session, which the answer to `initialize` has given.
         * @example 0192f0c4-7a00-7000-8000-000000000002
         */
        "Mcp-Session-Id": string;
        /**
         * @description The revision of the protocol that the client speaks.
         * @example 2025-11-25
         */
        "MCP-Protocol-Version": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The id of the request, by which the log of the service names it.
         * @example my-request-1
         */
        "X-Request-ID": string;
        /**
         * @description The number of items on all pages together.
         * @example 1
         */
        "X-Total-Count": number;
        /**
         * @description The names in `metadata.degraded`, separated by commas. It is missing without any.
         * @example rerank, generate_answer
         */
        "X-Search-Degraded": string;
        /**
         * @description The id of the session that this request has begun.
         * @example 0192f0c4-7a00-7000-8000-000000000002
         */
        "Mcp-Session-Id": string;
        /**
         * @description After this number of seconds, the same request may be answered.
         * @example 5
         */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getOpenApiDocument: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document, as JSON. */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.1",
                     *       "info": {
                     *         "title": "Quarry",
                     *         "version": "1"
                     *       }
                     *     }
                     */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "problems": []
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "Example",
                     *         "feature_flags": [
                     *           "AGENTIC_SEARCH"
                     *         ],
                     *         "quotas": {
                     *           "agentic_queries_per_hour": 100
                     *         },
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "modified_at": "2026-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Organization"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    createOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example"
                 *     }
                 */
                "application/json": components["schemas"]["NewOrganization"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Example",
                     *       "feature_flags": [
                     *         "AGENTIC_SEARCH"
                     *       ],
                     *       "quotas": {
                     *         "agentic_queries_per_hour": 100
                     *       },
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Example",
                     *       "feature_flags": [
                     *         "AGENTIC_SEARCH"
                     *       ],
                     *       "quotas": {
                     *         "agentic_queries_per_hour": 100
                     *       },
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    deleteOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Example",
                     *       "feature_flags": [
                     *         "AGENTIC_SEARCH"
                     *       ],
                     *       "quotas": {
                     *         "agentic_queries_per_hour": 100
                     *       },
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example"
                 *     }
                 */
                "application/json": components["schemas"]["OrganizationPatch"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Example",
                     *       "feature_flags": [
                     *         "AGENTIC_SEARCH"
                     *       ],
                     *       "quotas": {
                     *         "agentic_queries_per_hour": 100
                     *       },
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getOrganizationUsage: {
        parameters: {
            query?: {
                days?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "date": "2026-01-31",
                     *         "searches": 1,
                     *         "agentic_searches": 3,
                     *         "records": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["UsageDay"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "Support desk",
                     *         "role": "read",
                     *         "all_organizations": false,
                     *         "search_as": true,
                     *         "collections": [
                     *           "my-notes"
                     *         ],
                     *         "expires_at": "2026-01-31T09:30:00.000Z",
                     *         "last_used_at": "2026-01-31T09:30:00.000Z",
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "created_by_email": "ann@example.org"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Support desk",
                 *       "role": "read",
                 *       "search_as": true,
                 *       "collections": [
                 *         "my-notes"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Support desk",
                     *       "role": "read",
                     *       "all_organizations": false,
                     *       "search_as": true,
                     *       "collections": [
                     *         "my-notes"
                     *       ],
                     *       "expires_at": "2026-01-31T09:30:00.000Z",
                     *       "last_used_at": "2026-01-31T09:30:00.000Z",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "key": "quarry_<key>"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyWithValue"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Support desk",
                     *       "role": "read",
                     *       "all_organizations": false,
                     *       "search_as": true,
                     *       "collections": [
                     *         "my-notes"
                     *       ],
                     *       "expires_at": "2026-01-31T09:30:00.000Z",
                     *       "last_used_at": "2026-01-31T09:30:00.000Z",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "key": "quarry_<key>"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyWithValue"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Support desk",
                     *       "role": "read",
                     *       "all_organizations": false,
                     *       "search_as": true,
                     *       "collections": [
                     *         "my-notes"
                     *       ],
                     *       "expires_at": "2026-01-31T09:30:00.000Z",
                     *       "last_used_at": "2026-01-31T09:30:00.000Z",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "email": "ann@example.org",
                     *         "name": "Ann",
                     *         "role": "read",
                     *         "status": "active",
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "expires_at": "2026-01-31T09:30:00.000Z",
                     *         "invited_by": {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "name": "Ann",
                     *           "email": "ann@example.org"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Member"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.org",
                 *       "role": "read"
                 *     }
                 */
                "application/json": components["schemas"]["NewMember"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "email": "ann@example.org",
                     *       "name": null,
                     *       "role": "read",
                     *       "status": "active",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "expires_at": "2026-01-31T09:30:00.000Z",
                     *       "invited_by": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": null,
                     *         "email": "ann@example.org"
                     *       },
                     *       "invitation_url": "https://quarry.example.org/invitation#token=abc",
                     *       "mail": {
                     *         "status": "sent",
                     *         "code": null,
                     *         "detail": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "email": "ann@example.org",
                     *       "name": "Ann",
                     *       "role": "read",
                     *       "status": "active",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "expires_at": "2026-01-31T09:30:00.000Z",
                     *       "invited_by": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "Ann",
                     *         "email": "ann@example.org"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Member"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "read"
                 *     }
                 */
                "application/json": components["schemas"]["MemberPatch"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "email": "ann@example.org",
                     *       "name": "Ann",
                     *       "role": "read",
                     *       "status": "active",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "expires_at": "2026-01-31T09:30:00.000Z",
                     *       "invited_by": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "Ann",
                     *         "email": "ann@example.org"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Member"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
                action?: "api_key.created" | "api_key.rotated" | "api_key.deleted" | "auth_provider.created" | "auth_provider.updated" | "auth_provider.deleted" | "backup.created" | "backup.downloaded" | "backup.deleted" | "collection.created" | "collection.updated" | "collection.deleted" | "member.invited" | "member.joined" | "member.updated" | "member.removed" | "organization.created" | "organization.updated" | "organization.deleted" | "password.changed" | "session.opened" | "session.ended" | "source_connection.created" | "source_connection.updated" | "source_connection.deleted" | "source_connection.sign_in_renewed" | "source_connection.signed_in" | "source_rate_limit.set" | "source_rate_limit.removed" | "sync_job.deletions_confirmed" | "transformer.created" | "transformer.updated" | "transformer.deleted" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.deleted";
                /** @description Id or e-mail of an account, or id of an API key. An e-mail also finds acts by its keys. */
                actor?: string;
                /** @description Only acts at this time or later. */
                since?: string;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "action": "api_key.created",
                     *         "actor": {
                     *           "type": "api_key",
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "name": "Support desk",
                     *           "email": "ann@example.org"
                     *         },
                     *         "target": {
                     *           "type": "api_key",
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "name": "Support desk"
                     *         },
                     *         "address": "203.0.113.7",
                     *         "details": {},
                     *         "created_at": "2026-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AuditEvent"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.org",
                 *       "password": "a long password"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordSignIn"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "email": "ann@example.org",
                     *         "name": "Ann",
                     *         "has_password": true
                     *       },
                     *       "organization": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "Ann"
                     *       },
                     *       "role": "read",
                     *       "organizations": [
                     *         {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "name": "Ann",
                     *           "role": "read"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    signInByStartLink: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "<token>"
                 *     }
                 */
                "application/json": components["schemas"]["StartToken"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "email": "ann@example.org",
                     *         "name": "Ann",
                     *         "has_password": true
                     *       },
                     *       "organization": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "Ann"
                     *       },
                     *       "role": "read",
                     *       "organizations": [
                     *         {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "name": "Ann",
                     *           "role": "read"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "<token>"
                 *     }
                 */
                "application/json": components["schemas"]["InvitationToken"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organization": "Example",
                     *       "email": "ann@example.org",
                     *       "role": "read",
                     *       "expires_at": "2026-01-31T09:30:00.000Z",
                     *       "invited_by": {
                     *         "name": "My notes",
                     *         "email": "ann@example.org"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InvitationTerms"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "<token>",
                 *       "password": "a long password"
                 *     }
                 */
                "application/json": components["schemas"]["Acceptance"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "email": "ann@example.org",
                     *         "name": "Ann",
                     *         "has_password": true
                     *       },
                     *       "organization": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "Ann"
                     *       },
                     *       "role": "read",
                     *       "organizations": [
                     *         {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "name": "Ann",
                     *           "role": "read"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "signed_out": true
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        signed_out: true;
                    };
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "email": "ann@example.org",
                     *         "name": "Ann",
                     *         "has_password": true
                     *       },
                     *       "organization": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "Ann"
                     *       },
                     *       "role": "read",
                     *       "organizations": [
                     *         {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "name": "Ann",
                     *           "role": "read"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "last_used_at": "2026-01-31T09:30:00.000Z",
                     *         "expires_at": "2026-01-31T09:30:00.000Z",
                     *         "address": "203.0.113.7",
                     *         "user_agent": "Mozilla/5.0",
                     *         "current": true
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Session"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "last_used_at": "2026-01-31T09:30:00.000Z",
                     *       "expires_at": "2026-01-31T09:30:00.000Z",
                     *       "address": "203.0.113.7",
                     *       "user_agent": "Mozilla/5.0",
                     *       "current": true
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    setPassword: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "new_password": "a long new password"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "email": "ann@example.org",
                     *         "name": "Ann",
                     *         "has_password": true
                     *       },
                     *       "organization": {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "Ann"
                     *       },
                     *       "role": "read",
                     *       "organizations": [
                     *         {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "name": "Ann",
                     *           "role": "read"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getSignInMethods: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "password": true,
                     *       "issuer": {
                     *         "name": "Example",
                     *         "url": "https://quarry.example.org/v1/auth/issuer"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    beginIssuerSignIn: {
        parameters: {
            query?: {
                to?: string;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description HEAD does nothing. */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The browser goes to the issuer, or to the sign-in page if that cannot be asked. */
            303: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    endIssuerSignIn: {
        parameters: {
            query?: {
                state?: string;
                code?: string;
                error?: string;
                iss?: string;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description HEAD does nothing. */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The browser goes to the dashboard. */
            303: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listCollections: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
                /** @description A part of the name or of the readable_id. Upper and lower case do not matter. */
                search?: string;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "My notes",
                     *         "readable_id": "my-notes",
                     *         "vector_size": 256,
                     *         "embedding_model_name": "quarry-potion-1",
                     *         "sync_config": null,
                     *         "status": "ACTIVE",
                     *         "true_as_of": "2026-01-31T09:30:00.000Z",
                     *         "source_connections": 1,
                     *         "entities": {
                     *           "total_entities": 120,
                     *           "by_type": {
                     *             "File": {
                     *               "count": 120
                     *             }
                     *           },
                     *           "by_source": {
                     *             "files": {
                     *               "count": 120,
                     *               "source_connections": 1
                     *             }
                     *           }
                     *         },
                     *         "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "modified_at": "2026-01-31T09:30:00.000Z",
                     *         "created_by_email": "ann@example.org",
                     *         "modified_by_email": "ann@example.org"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Collection"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    createCollection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "My notes",
                 *       "readable_id": "my-notes"
                 *     }
                 */
                "application/json": components["schemas"]["NewCollection"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "My notes",
                     *       "readable_id": "my-notes",
                     *       "vector_size": 256,
                     *       "embedding_model_name": "quarry-potion-1",
                     *       "sync_config": null,
                     *       "status": "ACTIVE",
                     *       "true_as_of": "2026-01-31T09:30:00.000Z",
                     *       "source_connections": 1,
                     *       "entities": {
                     *         "total_entities": 120,
                     *         "by_type": {
                     *           "File": {
                     *             "count": 120
                     *           }
                     *         },
                     *         "by_source": {
                     *           "files": {
                     *             "count": 120,
                     *             "source_connections": 1
                     *           }
                     *         }
                     *       },
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["Collection"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    countCollections: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example 1 */
                    "application/json": number;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getCollection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "My notes",
                     *       "readable_id": "my-notes",
                     *       "vector_size": 256,
                     *       "embedding_model_name": "quarry-potion-1",
                     *       "sync_config": null,
                     *       "status": "ACTIVE",
                     *       "true_as_of": "2026-01-31T09:30:00.000Z",
                     *       "source_connections": 1,
                     *       "entities": {
                     *         "total_entities": 120,
                     *         "by_type": {
                     *           "File": {
                     *             "count": 120
                     *           }
                     *         },
                     *         "by_source": {
                     *           "files": {
                     *             "count": 120,
                     *             "source_connections": 1
                     *           }
                     *         }
                     *       },
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["Collection"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    deleteCollection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "My notes",
                     *       "readable_id": "my-notes",
                     *       "vector_size": 256,
                     *       "embedding_model_name": "quarry-potion-1",
                     *       "sync_config": null,
                     *       "status": "ACTIVE",
                     *       "true_as_of": "2026-01-31T09:30:00.000Z",
                     *       "source_connections": 1,
                     *       "entities": {
                     *         "total_entities": 120,
                     *         "by_type": {
                     *           "File": {
                     *             "count": 120
                     *           }
                     *         },
                     *         "by_source": {
                     *           "files": {
                     *             "count": 120,
                     *             "source_connections": 1
                     *           }
                     *         }
                     *       },
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["Collection"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    updateCollection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "My notes"
                 *     }
                 */
                "application/json": components["schemas"]["CollectionPatch"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "My notes",
                     *       "readable_id": "my-notes",
                     *       "vector_size": 256,
                     *       "embedding_model_name": "quarry-potion-1",
                     *       "sync_config": null,
                     *       "status": "ACTIVE",
                     *       "true_as_of": "2026-01-31T09:30:00.000Z",
                     *       "source_connections": 1,
                     *       "entities": {
                     *         "total_entities": 120,
                     *         "by_type": {
                     *           "File": {
                     *             "count": 120
                     *           }
                     *         },
                     *         "by_source": {
                     *           "files": {
                     *             "count": 120,
                     *             "source_connections": 1
                     *           }
                     *         }
                     *       },
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["Collection"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listSources: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "Files",
                     *         "short_name": "files",
                     *         "description": "The files of a folder.",
                     *         "auth_methods": [
                     *           "direct"
                     *         ],
                     *         "oauth_type": null,
                     *         "oauth_scopes": null,
                     *         "redirect_uri": null,
                     *         "requires_byoc": false,
                     *         "auth_config_class": "FilesAuthConfig",
                     *         "config_class": "FilesConfig",
                     *         "class_name": "FilesSource",
                     *         "output_entity_definitions": [
                     *           "File"
                     *         ],
                     *         "auth_fields": {
                     *           "fields": [
                     *             {
                     *               "name": "path",
                     *               "title": "Folder",
                     *               "description": "The folder whose files are read.",
                     *               "type": "string",
                     *               "required": true
                     *             }
                     *           ]
                     *         },
                     *         "config_fields": {
                     *           "fields": [
                     *             {
                     *               "name": "path",
                     *               "title": "Folder",
                     *               "description": "The folder whose files are read.",
                     *               "type": "string",
                     *               "required": true
                     *             }
                     *           ]
                     *         },
                     *         "supported_auth_providers": [
                     *           "custom"
                     *         ],
                     *         "labels": [
                     *           "Files"
                     *         ],
                     *         "supports_continuous": true,
                     *         "is_local": false,
                     *         "federated_search": false,
                     *         "supports_access_control": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SourceType"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getSource: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                short_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Files",
                     *       "short_name": "files",
                     *       "description": "The files of a folder.",
                     *       "auth_methods": [
                     *         "direct"
                     *       ],
                     *       "oauth_type": null,
                     *       "oauth_scopes": null,
                     *       "redirect_uri": null,
                     *       "requires_byoc": false,
                     *       "auth_config_class": "FilesAuthConfig",
                     *       "config_class": "FilesConfig",
                     *       "class_name": "FilesSource",
                     *       "output_entity_definitions": [
                     *         "File"
                     *       ],
                     *       "auth_fields": {
                     *         "fields": [
                     *           {
                     *             "name": "path",
                     *             "title": "Folder",
                     *             "description": "The folder whose files are read.",
                     *             "type": "string",
                     *             "required": true
                     *           }
                     *         ]
                     *       },
                     *       "config_fields": {
                     *         "fields": [
                     *           {
                     *             "name": "path",
                     *             "title": "Folder",
                     *             "description": "The folder whose files are read.",
                     *             "type": "string",
                     *             "required": true
                     *           }
                     *         ]
                     *       },
                     *       "supported_auth_providers": [
                     *         "custom"
                     *       ],
                     *       "labels": [
                     *         "Files"
                     *       ],
                     *       "supports_continuous": true,
                     *       "is_local": false,
                     *       "federated_search": false,
                     *       "supports_access_control": false
                     *     }
                     */
                    "application/json": components["schemas"]["SourceType"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listEntityDefinitions: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "File",
                     *         "source_short_name": "files",
                     *         "json_schema": {}
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["EntityDefinition"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getEntityDefinition: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "File",
                     *       "source_short_name": "files",
                     *       "json_schema": {}
                     *     }
                     */
                    "application/json": components["schemas"]["EntityDefinition"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listSourceRateLimits: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "source_short_name": "files",
                     *         "rate_limit_level": "org",
                     *         "limit": 100,
                     *         "window_seconds": 60,
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ListedSourceRateLimit"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    setSourceRateLimit: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                source_short_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "limit": 100
                 *     }
                 */
                "application/json": components["schemas"]["SourceRateLimitSettings"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "source_short_name": "files",
                     *       "limit": 100,
                     *       "window_seconds": 60,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SourceRateLimit"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    deleteSourceRateLimit: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                source_short_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limit is removed. */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listSourceOptions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                short_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "field": "path"
                 *     }
                 */
                "application/json": components["schemas"]["OptionsInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "value": "news",
                     *         "title": "News",
                     *         "description": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["FieldOption"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listAuthProviders: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "readable_id": "nango",
                     *         "name": "Nango",
                     *         "short_name": "nango",
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "modified_at": "2026-01-31T09:30:00.000Z",
                     *         "created_by_email": "ann@example.org",
                     *         "modified_by_email": "ann@example.org"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AuthProvider"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    createAuthProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nango",
                 *       "short_name": "nango",
                 *       "credentials": {
                 *         "secret_key": "<key>"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewAuthProvider"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "readable_id": "nango",
                     *       "name": "Nango",
                     *       "short_name": "nango",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["AuthProvider"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getAuthProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "readable_id": "nango",
                     *       "name": "Nango",
                     *       "short_name": "nango",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["AuthProvider"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    updateAuthProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nango"
                 *     }
                 */
                "application/json": components["schemas"]["AuthProviderChange"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "readable_id": "nango",
                     *       "name": "Nango",
                     *       "short_name": "nango",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["AuthProvider"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    deleteAuthProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "readable_id": "nango",
                     *       "name": "Nango",
                     *       "short_name": "nango",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["AuthProvider"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listSourceConnections: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
                /** @description readable_id of a collection. */
                collection?: string;
                /** @description Words of which each is a part of the name, of the short name of the source or of the readable_id of the collection. Upper and lower case and accents do not matter. Names that begin with it come first. */
                search?: string;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "Notes folder",
                     *         "description": null,
                     *         "short_name": "files",
                     *         "readable_collection_id": "my-notes",
                     *         "status": "ACTIVE",
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "modified_at": "2026-01-31T09:30:00.000Z",
                     *         "created_by_email": "ann@example.org",
                     *         "modified_by_email": "ann@example.org",
                     *         "true_as_of": "2026-01-31T09:30:00.000Z",
                     *         "auth": {
                     *           "method": "direct",
                     *           "authenticated": true,
                     *           "authenticated_at": "2026-01-31T09:30:00.000Z",
                     *           "expires_at": "2026-01-31T09:30:00.000Z",
                     *           "account": "ann@example.org",
                     *           "sign_in_error": null
                     *         },
                     *         "config": {
                     *           "path": "/srv/notes"
                     *         },
                     *         "schedule": {
                     *           "cron": "0 * * * *",
                     *           "next_run": "2026-01-31T09:30:00.000Z",
                     *           "continuous": false,
                     *           "cursor_field": null
                     *         },
                     *         "full_every": 24,
                     *         "sync_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "sync": {
                     *           "total_runs": 1,
                     *           "successful_runs": 1,
                     *           "failed_runs": 0,
                     *           "last_job": {
                     *             "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *             "status": "ACTIVE",
                     *             "started_at": "2026-01-31T09:30:00.000Z",
                     *             "completed_at": "2026-01-31T09:30:00.000Z",
                     *             "duration_seconds": 4.2,
                     *             "entities_inserted": 120,
                     *             "entities_updated": 0,
                     *             "entities_deleted": 0,
                     *             "entities_failed": 0,
                     *             "error": null,
                     *             "error_details": null
                     *           },
                     *           "last_full_job": {
                     *             "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *             "started_at": "2026-01-31T09:30:00.000Z",
                     *             "completed_at": "2026-01-31T09:30:00.000Z",
                     *             "entities_encountered": {
                     *               "File": 120
                     *             }
                     *           }
                     *         },
                     *         "entities": {
                     *           "total_entities": 120,
                     *           "by_type": {
                     *             "File": {
                     *               "count": 120
                     *             }
                     *           }
                     *         },
                     *         "deletions_held_back": null,
                     *         "watch": {
                     *           "state": "watching",
                     *           "message": "the source has refused the credentials"
                     *         },
                     *         "federated_search": false,
                     *         "transformers": [
                     *           {
                     *             "transformer_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *             "config": {
                     *               "path": "/srv/notes"
                     *             }
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SourceConnection"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    createSourceConnection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Notes folder",
                 *       "short_name": "files",
                 *       "readable_collection_id": "my-notes",
                 *       "config": {
                 *         "path": "/srv/notes"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewSourceConnection"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Notes folder",
                     *       "description": null,
                     *       "short_name": "files",
                     *       "readable_collection_id": "my-notes",
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org",
                     *       "true_as_of": "2026-01-31T09:30:00.000Z",
                     *       "auth": {
                     *         "method": "direct",
                     *         "authenticated": true,
                     *         "authenticated_at": "2026-01-31T09:30:00.000Z",
                     *         "expires_at": "2026-01-31T09:30:00.000Z",
                     *         "account": "ann@example.org",
                     *         "sign_in_error": null
                     *       },
                     *       "config": {
                     *         "path": "/srv/notes"
                     *       },
                     *       "schedule": {
                     *         "cron": "0 * * * *",
                     *         "next_run": "2026-01-31T09:30:00.000Z",
                     *         "continuous": false,
                     *         "cursor_field": null
                     *       },
                     *       "full_every": 24,
                     *       "sync_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "sync": {
                     *         "total_runs": 1,
                     *         "successful_runs": 1,
                     *         "failed_runs": 0,
                     *         "last_job": {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "status": "ACTIVE",
                     *           "started_at": "2026-01-31T09:30:00.000Z",
                     *           "completed_at": "2026-01-31T09:30:00.000Z",
                     *           "duration_seconds": 4.2,
                     *           "entities_inserted": 120,
                     *           "entities_updated": 0,
                     *           "entities_deleted": 0,
                     *           "entities_failed": 0,
                     *           "error": null,
                     *           "error_details": null
                     *         },
                     *         "last_full_job": {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "started_at": "2026-01-31T09:30:00.000Z",
                     *           "completed_at": "2026-01-31T09:30:00.000Z",
                     *           "entities_encountered": {
                     *             "File": 120
                     *           }
                     *         }
                     *       },
                     *       "entities": {
                     *         "total_entities": 120,
                     *         "by_type": {
                     *           "File": {
                     *             "count": 120
                     *           }
                     *         }
                     *       },
                     *       "deletions_held_back": null,
                     *       "watch": {
                     *         "state": "watching",
                     *         "message": "the source has refused the credentials"
                     *       },
                     *       "federated_search": false,
                     *       "transformers": [
                     *         {
                     *           "transformer_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "config": {
                     *             "path": "/srv/notes"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SourceConnection"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getSourceConnection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Notes folder",
                     *       "description": null,
                     *       "short_name": "files",
                     *       "readable_collection_id": "my-notes",
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org",
                     *       "true_as_of": "2026-01-31T09:30:00.000Z",
                     *       "auth": {
                     *         "method": "direct",
                     *         "authenticated": true,
                     *         "authenticated_at": "2026-01-31T09:30:00.000Z",
                     *         "expires_at": "2026-01-31T09:30:00.000Z",
                     *         "account": "ann@example.org",
                     *         "sign_in_error": null
                     *       },
                     *       "config": {
                     *         "path": "/srv/notes"
                     *       },
                     *       "schedule": {
                     *         "cron": "0 * * * *",
                     *         "next_run": "2026-01-31T09:30:00.000Z",
                     *         "continuous": false,
                     *         "cursor_field": null
                     *       },
                     *       "full_every": 24,
                     *       "sync_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "sync": {
                     *         "total_runs": 1,
                     *         "successful_runs": 1,
                     *         "failed_runs": 0,
                     *         "last_job": {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "status": "ACTIVE",
                     *           "started_at": "2026-01-31T09:30:00.000Z",
                     *           "completed_at": "2026-01-31T09:30:00.000Z",
                     *           "duration_seconds": 4.2,
                     *           "entities_inserted": 120,
                     *           "entities_updated": 0,
                     *           "entities_deleted": 0,
                     *           "entities_failed": 0,
                     *           "error": null,
                     *           "error_details": null
                     *         },
                     *         "last_full_job": {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "started_at": "2026-01-31T09:30:00.000Z",
                     *           "completed_at": "2026-01-31T09:30:00.000Z",
                     *           "entities_encountered": {
                     *             "File": 120
                     *           }
                     *         }
                     *       },
                     *       "entities": {
                     *         "total_entities": 120,
                     *         "by_type": {
                     *           "File": {
                     *             "count": 120
                     *           }
                     *         }
                     *       },
                     *       "deletions_held_back": null,
                     *       "watch": {
                     *         "state": "watching",
                     *         "message": "the source has refused the credentials"
                     *       },
                     *       "federated_search": false,
                     *       "transformers": [
                     *         {
                     *           "transformer_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "config": {
                     *             "path": "/srv/notes"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SourceConnection"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    deleteSourceConnection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Notes folder",
                     *       "description": null,
                     *       "short_name": "files",
                     *       "readable_collection_id": "my-notes",
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org",
                     *       "true_as_of": "2026-01-31T09:30:00.000Z",
                     *       "auth": {
                     *         "method": "direct",
                     *         "authenticated": true,
                     *         "authenticated_at": "2026-01-31T09:30:00.000Z",
                     *         "expires_at": "2026-01-31T09:30:00.000Z",
                     *         "account": "ann@example.org",
                     *         "sign_in_error": null
                     *       },
                     *       "config": {
                     *         "path": "/srv/notes"
                     *       },
                     *       "schedule": {
                     *         "cron": "0 * * * *",
                     *         "next_run": "2026-01-31T09:30:00.000Z",
                     *         "continuous": false,
                     *         "cursor_field": null
                     *       },
                     *       "full_every": 24,
                     *       "sync_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "sync": {
                     *         "total_runs": 1,
                     *         "successful_runs": 1,
                     *         "failed_runs": 0,
                     *         "last_job": {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "status": "ACTIVE",
                     *           "started_at": "2026-01-31T09:30:00.000Z",
                     *           "completed_at": "2026-01-31T09:30:00.000Z",
                     *           "duration_seconds": 4.2,
                     *           "entities_inserted": 120,
                     *           "entities_updated": 0,
                     *           "entities_deleted": 0,
                     *           "entities_failed": 0,
                     *           "error": null,
                     *           "error_details": null
                     *         },
                     *         "last_full_job": {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "started_at": "2026-01-31T09:30:00.000Z",
                     *           "completed_at": "2026-01-31T09:30:00.000Z",
                     *           "entities_encountered": {
                     *             "File": 120
                     *           }
                     *         }
                     *       },
                     *       "entities": {
                     *         "total_entities": 120,
                     *         "by_type": {
                     *           "File": {
                     *             "count": 120
                     *           }
                     *         }
                     *       },
                     *       "deletions_held_back": null,
                     *       "watch": {
                     *         "state": "watching",
                     *         "message": "the source has refused the credentials"
                     *       },
                     *       "federated_search": false,
                     *       "transformers": [
                     *         {
                     *           "transformer_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "config": {
                     *             "path": "/srv/notes"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SourceConnection"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    updateSourceConnection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Notes folder"
                 *     }
                 */
                "application/json": components["schemas"]["SourceConnectionPatch"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Notes folder",
                     *       "description": null,
                     *       "short_name": "files",
                     *       "readable_collection_id": "my-notes",
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org",
                     *       "true_as_of": "2026-01-31T09:30:00.000Z",
                     *       "auth": {
                     *         "method": "direct",
                     *         "authenticated": true,
                     *         "authenticated_at": "2026-01-31T09:30:00.000Z",
                     *         "expires_at": "2026-01-31T09:30:00.000Z",
                     *         "account": "ann@example.org",
                     *         "sign_in_error": null
                     *       },
                     *       "config": {
                     *         "path": "/srv/notes"
                     *       },
                     *       "schedule": {
                     *         "cron": "0 * * * *",
                     *         "next_run": "2026-01-31T09:30:00.000Z",
                     *         "continuous": false,
                     *         "cursor_field": null
                     *       },
                     *       "full_every": 24,
                     *       "sync_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "sync": {
                     *         "total_runs": 1,
                     *         "successful_runs": 1,
                     *         "failed_runs": 0,
                     *         "last_job": {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "status": "ACTIVE",
                     *           "started_at": "2026-01-31T09:30:00.000Z",
                     *           "completed_at": "2026-01-31T09:30:00.000Z",
                     *           "duration_seconds": 4.2,
                     *           "entities_inserted": 120,
                     *           "entities_updated": 0,
                     *           "entities_deleted": 0,
                     *           "entities_failed": 0,
                     *           "error": null,
                     *           "error_details": null
                     *         },
                     *         "last_full_job": {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "started_at": "2026-01-31T09:30:00.000Z",
                     *           "completed_at": "2026-01-31T09:30:00.000Z",
                     *           "entities_encountered": {
                     *             "File": 120
                     *           }
                     *         }
                     *       },
                     *       "entities": {
                     *         "total_entities": 120,
                     *         "by_type": {
                     *           "File": {
                     *             "count": 120
                     *           }
                     *         }
                     *       },
                     *       "deletions_held_back": null,
                     *       "watch": {
                     *         "state": "watching",
                     *         "message": "the source has refused the credentials"
                     *       },
                     *       "federated_search": false,
                     *       "transformers": [
                     *         {
                     *           "transformer_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "config": {
                     *             "path": "/srv/notes"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SourceConnection"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    reinitiateOAuth: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Notes folder",
                     *       "description": null,
                     *       "short_name": "files",
                     *       "readable_collection_id": "my-notes",
                     *       "status": "ACTIVE",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org",
                     *       "true_as_of": "2026-01-31T09:30:00.000Z",
                     *       "auth": {
                     *         "method": "direct",
                     *         "authenticated": true,
                     *         "authenticated_at": "2026-01-31T09:30:00.000Z",
                     *         "expires_at": "2026-01-31T09:30:00.000Z",
                     *         "account": "ann@example.org",
                     *         "sign_in_error": null
                     *       },
                     *       "config": {
                     *         "path": "/srv/notes"
                     *       },
                     *       "schedule": {
                     *         "cron": "0 * * * *",
                     *         "next_run": "2026-01-31T09:30:00.000Z",
                     *         "continuous": false,
                     *         "cursor_field": null
                     *       },
                     *       "full_every": 24,
                     *       "sync_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "sync": {
                     *         "total_runs": 1,
                     *         "successful_runs": 1,
                     *         "failed_runs": 0,
                     *         "last_job": {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "status": "ACTIVE",
                     *           "started_at": "2026-01-31T09:30:00.000Z",
                     *           "completed_at": "2026-01-31T09:30:00.000Z",
                     *           "duration_seconds": 4.2,
                     *           "entities_inserted": 120,
                     *           "entities_updated": 0,
                     *           "entities_deleted": 0,
                     *           "entities_failed": 0,
                     *           "error": null,
                     *           "error_details": null
                     *         },
                     *         "last_full_job": {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "started_at": "2026-01-31T09:30:00.000Z",
                     *           "completed_at": "2026-01-31T09:30:00.000Z",
                     *           "entities_encountered": {
                     *             "File": 120
                     *           }
                     *         }
                     *       },
                     *       "entities": {
                     *         "total_entities": 120,
                     *         "by_type": {
                     *           "File": {
                     *             "count": 120
                     *           }
                     *         }
                     *       },
                     *       "deletions_held_back": null,
                     *       "watch": {
                     *         "state": "watching",
                     *         "message": "the source has refused the credentials"
                     *       },
                     *       "federated_search": false,
                     *       "transformers": [
                     *         {
                     *           "transformer_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "config": {
                     *             "path": "/srv/notes"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SourceConnection"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    runSourceConnection: {
        parameters: {
            query?: {
                /** @description If true, the sync ignores the cursor and lists everything. */
                force_full_sync?: "true" | "false";
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "status": "COMPLETED",
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "completed_at": "2026-01-31T09:30:00.000Z",
                     *       "duration_seconds": 4.2,
                     *       "entities_inserted": 120,
                     *       "entities_updated": 0,
                     *       "entities_deleted": 0,
                     *       "entities_failed": 0,
                     *       "deletions_held_back": 1,
                     *       "entities_by_type": null,
                     *       "error": null,
                     *       "error_details": null,
                     *       "waits_for": null,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["SourceConnectionJob"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    reprocessSourceConnection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "status": "COMPLETED",
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "completed_at": "2026-01-31T09:30:00.000Z",
                     *       "duration_seconds": 4.2,
                     *       "entities_inserted": 120,
                     *       "entities_updated": 0,
                     *       "entities_deleted": 0,
                     *       "entities_failed": 0,
                     *       "deletions_held_back": 1,
                     *       "entities_by_type": null,
                     *       "error": null,
                     *       "error_details": null,
                     *       "waits_for": null,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["SourceConnectionJob"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    refreshCollection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "status": "COMPLETED",
                     *         "started_at": "2026-01-31T09:30:00.000Z",
                     *         "completed_at": "2026-01-31T09:30:00.000Z",
                     *         "duration_seconds": 4.2,
                     *         "entities_inserted": 120,
                     *         "entities_updated": 0,
                     *         "entities_deleted": 0,
                     *         "entities_failed": 0,
                     *         "deletions_held_back": 1,
                     *         "entities_by_type": null,
                     *         "error": null,
                     *         "error_details": null,
                     *         "waits_for": null,
                     *         "warnings": []
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SourceConnectionJob"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getEntityCounts: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "points": [
                     *         {
                     *           "at": "2026-01-31T09:30:00.000Z",
                     *           "total_entities": 120,
                     *           "by_type": {
                     *             "File": 120
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EntityCountsOverTime"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listSourceConnectionJobs: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "status": "COMPLETED",
                     *         "started_at": "2026-01-31T09:30:00.000Z",
                     *         "completed_at": "2026-01-31T09:30:00.000Z",
                     *         "duration_seconds": 4.2,
                     *         "entities_inserted": 120,
                     *         "entities_updated": 0,
                     *         "entities_deleted": 0,
                     *         "entities_failed": 0,
                     *         "deletions_held_back": 1,
                     *         "entities_by_type": null,
                     *         "error": null,
                     *         "error_details": null,
                     *         "waits_for": null,
                     *         "warnings": []
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SourceConnectionJob"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    cancelSourceConnectionJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "status": "COMPLETED",
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "completed_at": "2026-01-31T09:30:00.000Z",
                     *       "duration_seconds": 4.2,
                     *       "entities_inserted": 120,
                     *       "entities_updated": 0,
                     *       "entities_deleted": 0,
                     *       "entities_failed": 0,
                     *       "deletions_held_back": 1,
                     *       "entities_by_type": null,
                     *       "error": null,
                     *       "error_details": null,
                     *       "waits_for": null,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["SourceConnectionJob"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listJobFailures: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "entity_id": "birds.md",
                     *         "entity_type": "File",
                     *         "stage": "extract",
                     *         "message": "the source has refused the credentials",
                     *         "hint": null,
                     *         "created_at": "2026-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["JobFailure"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listJobSkipped: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "entity_id": "birds.md",
                     *         "entity_type": "File",
                     *         "reason": "too_large",
                     *         "detail": null,
                     *         "hint": null,
                     *         "created_at": "2026-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["JobSkipped"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listHeldBackDeletions: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "entity_id": "birds.md",
                     *         "entity_type": "File",
                     *         "name": "Birds at the weir",
                     *         "url": "https://notes.example.org/birds",
                     *         "breadcrumbs": [
                     *           "Birds"
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["HeldBackDeletion"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    confirmDeletions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "status": "COMPLETED",
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "completed_at": "2026-01-31T09:30:00.000Z",
                     *       "duration_seconds": 4.2,
                     *       "entities_inserted": 120,
                     *       "entities_updated": 0,
                     *       "entities_deleted": 0,
                     *       "entities_failed": 0,
                     *       "deletions_held_back": 1,
                     *       "entities_by_type": null,
                     *       "error": null,
                     *       "error_details": null,
                     *       "waits_for": null,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["SourceConnectionJob"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    endSourceSignIn: {
        parameters: {
            query?: {
                state?: string;
                code?: string;
                error?: string;
                error_description?: string;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description HEAD does nothing. */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The browser goes back to the caller. */
            303: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listTransformers: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "name": "Shorten",
                     *         "description": null,
                     *         "method_name": "shorten",
                     *         "module_name": "file:///opt/quarry/shorten.mjs",
                     *         "input_entity_definition_ids": [
                     *           "0192f0c4-7a00-7000-8000-000000000003"
                     *         ],
                     *         "output_entity_definition_ids": [
                     *           "0192f0c4-7a00-7000-8000-000000000003"
                     *         ],
                     *         "config_schema": {
                     *           "type": "object"
                     *         },
                     *         "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "modified_at": "2026-01-31T09:30:00.000Z",
                     *         "created_by_email": "ann@example.org",
                     *         "modified_by_email": "ann@example.org"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Transformer"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    createTransformer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shorten",
                 *       "method_name": "shorten",
                 *       "module_name": "file:///opt/quarry/shorten.mjs",
                 *       "input_entity_definition_ids": [
                 *         "0192f0c4-7a00-7000-8000-000000000003"
                 *       ],
                 *       "output_entity_definition_ids": [
                 *         "0192f0c4-7a00-7000-8000-000000000003"
                 *       ],
                 *       "config_schema": {
                 *         "type": "object"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewTransformer"];
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Shorten",
                     *       "description": null,
                     *       "method_name": "shorten",
                     *       "module_name": "file:///opt/quarry/shorten.mjs",
                     *       "input_entity_definition_ids": [
                     *         "0192f0c4-7a00-7000-8000-000000000003"
                     *       ],
                     *       "output_entity_definition_ids": [
                     *         "0192f0c4-7a00-7000-8000-000000000003"
                     *       ],
                     *       "config_schema": {
                     *         "type": "object"
                     *       },
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["Transformer"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getTransformer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Shorten",
                     *       "description": null,
                     *       "method_name": "shorten",
                     *       "module_name": "file:///opt/quarry/shorten.mjs",
                     *       "input_entity_definition_ids": [
                     *         "0192f0c4-7a00-7000-8000-000000000003"
                     *       ],
                     *       "output_entity_definition_ids": [
                     *         "0192f0c4-7a00-7000-8000-000000000003"
                     *       ],
                     *       "config_schema": {
                     *         "type": "object"
                     *       },
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["Transformer"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    updateTransformer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shorten"
                 *     }
                 */
                "application/json": components["schemas"]["TransformerPatch"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Shorten",
                     *       "description": null,
                     *       "method_name": "shorten",
                     *       "module_name": "file:///opt/quarry/shorten.mjs",
                     *       "input_entity_definition_ids": [
                     *         "0192f0c4-7a00-7000-8000-000000000003"
                     *       ],
                     *       "output_entity_definition_ids": [
                     *         "0192f0c4-7a00-7000-8000-000000000003"
                     *       ],
                     *       "config_schema": {
                     *         "type": "object"
                     *       },
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["Transformer"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    deleteTransformer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "name": "Shorten",
                     *       "description": null,
                     *       "method_name": "shorten",
                     *       "module_name": "file:///opt/quarry/shorten.mjs",
                     *       "input_entity_definition_ids": [
                     *         "0192f0c4-7a00-7000-8000-000000000003"
                     *       ],
                     *       "output_entity_definition_ids": [
                     *         "0192f0c4-7a00-7000-8000-000000000003"
                     *       ],
                     *       "config_schema": {
                     *         "type": "object"
                     *       },
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["Transformer"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listSyncJobs: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
                /** @description Status of the listed jobs. May be given several times, for jobs with any of these statuses. */
                status?: ("created" | "pending" | "in_progress" | "completed" | "failed" | "cancelling" | "cancelled") | ("created" | "pending" | "in_progress" | "completed" | "failed" | "cancelling" | "cancelled")[];
                /** @description readable_id of a collection; only jobs of its connections are listed. */
                collection?: string;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "sync_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "sync_name": "Notes folder",
                     *         "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "readable_collection_id": "my-notes",
                     *         "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "status": "completed",
                     *         "scheduled": false,
                     *         "entities_inserted": 120,
                     *         "entities_updated": 0,
                     *         "entities_deleted": 0,
                     *         "entities_kept": 0,
                     *         "entities_skipped": 0,
                     *         "entities_failed": 0,
                     *         "entities_encountered": {
                     *           "File": 120
                     *         },
                     *         "entities_by_type": null,
                     *         "skipped_by_reason": {},
                     *         "deletions_held_back": 1,
                     *         "waits_for": null,
                     *         "warnings": [],
                     *         "started_at": "2026-01-31T09:30:00.000Z",
                     *         "completed_at": "2026-01-31T09:30:00.000Z",
                     *         "failed_at": null,
                     *         "error": null,
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "modified_at": "2026-01-31T09:30:00.000Z",
                     *         "created_by_email": "ann@example.org",
                     *         "modified_by_email": "ann@example.org"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SyncJob"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getSyncJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "sync_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "sync_name": "Notes folder",
                     *       "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "readable_collection_id": "my-notes",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "status": "completed",
                     *       "scheduled": false,
                     *       "entities_inserted": 120,
                     *       "entities_updated": 0,
                     *       "entities_deleted": 0,
                     *       "entities_kept": 0,
                     *       "entities_skipped": 0,
                     *       "entities_failed": 0,
                     *       "entities_encountered": {
                     *         "File": 120
                     *       },
                     *       "entities_by_type": null,
                     *       "skipped_by_reason": {},
                     *       "deletions_held_back": 1,
                     *       "waits_for": null,
                     *       "warnings": [],
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "completed_at": "2026-01-31T09:30:00.000Z",
                     *       "failed_at": null,
                     *       "error": null,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org",
                     *       "sync_config": null,
                     *       "sync_metadata": {
                     *         "trigger": "manual",
                     *         "attempt": 1,
                     *         "full": false,
                     *         "chunks_written": 340,
                     *         "bytes_fetched": 48000,
                     *         "requests": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SyncJobDetail"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    cancelSyncJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "sync_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "sync_name": "Notes folder",
                     *       "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "readable_collection_id": "my-notes",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "status": "completed",
                     *       "scheduled": false,
                     *       "entities_inserted": 120,
                     *       "entities_updated": 0,
                     *       "entities_deleted": 0,
                     *       "entities_kept": 0,
                     *       "entities_skipped": 0,
                     *       "entities_failed": 0,
                     *       "entities_encountered": {
                     *         "File": 120
                     *       },
                     *       "entities_by_type": null,
                     *       "skipped_by_reason": {},
                     *       "deletions_held_back": 1,
                     *       "waits_for": null,
                     *       "warnings": [],
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "completed_at": "2026-01-31T09:30:00.000Z",
                     *       "failed_at": null,
                     *       "error": null,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "modified_by_email": "ann@example.org",
                     *       "sync_config": null,
                     *       "sync_metadata": {
                     *         "trigger": "manual",
                     *         "attempt": 1,
                     *         "full": false,
                     *         "chunks_written": 340,
                     *         "bytes_fetched": 48000,
                     *         "requests": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SyncJobDetail"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    watchSourceConnectionJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events; the field `type` says which event it is. */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "progress",
                     *       "status": "RUNNING",
                     *       "entities_inserted": 120,
                     *       "entities_updated": 0,
                     *       "entities_deleted": 0,
                     *       "entities_kept": 0,
                     *       "entities_skipped": 0,
                     *       "entities_failed": 0,
                     *       "entities_encountered": {
                     *         "File": 120
                     *       },
                     *       "entities_by_type": null,
                     *       "skipped_by_reason": {},
                     *       "chunks_written": 340,
                     *       "bytes_fetched": 48000,
                     *       "requests": 1,
                     *       "rate": 30,
                     *       "waits_for": null
                     *     }
                     */
                    "text/event-stream": components["schemas"]["SyncJobProgress"] | components["schemas"]["SyncJobDone"] | components["schemas"]["StreamError"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listEntities: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
                source_connection_id?: string;
                collection_readable_id?: string;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "entity_id": "birds.md",
                     *         "sync_job_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "sync_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "entity_definition_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "hash": "8a1f",
                     *         "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "modified_at": "2026-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["EntityRecord"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getEntity: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                /** @description The UUID of the record. */
                entity_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "entity_id": "birds.md",
                     *       "sync_job_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "sync_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "entity_definition_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "hash": "8a1f",
                     *       "organization_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "modified_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["EntityRecord"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getEntityAccess: {
        parameters: {
            query?: {
                /** @description A person `user:<e-mail>`, or a group `group:<name>`. */
                principal?: string;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                /** @description The UUID of the record. */
                entity_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "viewers": [
                     *         "user:ann@example.org"
                     *       ],
                     *       "is_public": false,
                     *       "asked": {
                     *         "principal": "user:ann@example.org",
                     *         "may_see": true,
                     *         "reason": "public",
                     *         "through": [
                     *           "group:engineering"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EntityAccess"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getContents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.
                 * @example user:ann@example.org, group:engineering
                 */
                "X-Principals"?: components["parameters"]["X-Principals"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "readable_id": "my-notes",
                     *       "name": "My notes",
                     *       "status": "ACTIVE",
                     *       "source_names": [
                     *         "files"
                     *       ],
                     *       "source_connections": [
                     *         {
                     *           "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "name": "My notes",
                     *           "source_name": "files",
                     *           "records": 1
                     *         }
                     *       ],
                     *       "entity_types": [
                     *         {
                     *           "entity_type": "File",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "metadata_fields": [
                     *         "name"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CollectionContents"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listContents: {
        parameters: {
            query?: {
                /** @description Value of `next` of the previous page. */
                after?: string;
                entity_type?: string;
                source_name?: string;
                source_connection_id?: string;
                /** @description Id of a breadcrumb: only records at or below it, such as those of a folder. */
                below?: string;
                /** @description A part of the name. Upper and lower case do not matter. */
                name?: string;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.
                 * @example user:ann@example.org, group:engineering
                 */
                "X-Principals"?: components["parameters"]["X-Principals"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "birds.md",
                     *           "entity_id": "birds.md",
                     *           "name": "Birds at the weir",
                     *           "entity_type": "File",
                     *           "source_name": "files",
                     *           "breadcrumbs": [
                     *             "Birds"
                     *           ],
                     *           "url": "https://notes.example.org/birds",
                     *           "updated_at": "2026-01-31T09:30:00.000Z",
                     *           "true_as_of": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["ContentList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listContentsTree: {
        parameters: {
            query: {
                source_connection_id: string;
                /** @description Id of a breadcrumb: only records at or below it, such as those of a folder. */
                below?: string;
                /** @description Value of `next` of the previous page. */
                after?: string;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.
                 * @example user:ann@example.org, group:engineering
                 */
                "X-Principals"?: components["parameters"]["X-Principals"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": [
                     *         {
                     *           "id": "birds",
                     *           "name": "Birds",
                     *           "type": "folder"
                     *         }
                     *       ],
                     *       "branches": [
                     *         {
                     *           "id": "birds",
                     *           "name": "Birds",
                     *           "type": "folder",
                     *           "records": 1
                     *         }
                     *       ],
                     *       "items": [
                     *         {
                     *           "id": "birds.md",
                     *           "entity_id": "birds.md",
                     *           "name": "Birds at the weir",
                     *           "entity_type": "File",
                     *           "source_name": "files",
                     *           "breadcrumbs": [
                     *             "Birds"
                     *           ],
                     *           "url": "https://notes.example.org/birds",
                     *           "updated_at": "2026-01-31T09:30:00.000Z",
                     *           "true_as_of": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["ContentTree"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    readContents: {
        parameters: {
            query: {
                /** @description The id of an item, or an entity_id of a search result or of the source. */
                id: string;
                /** @description Position of the first chunk. */
                from?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.
                 * @example user:ann@example.org, group:engineering
                 */
                "X-Principals"?: components["parameters"]["X-Principals"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "birds.md",
                     *       "entity_id": "birds.md",
                     *       "name": "Birds at the weir",
                     *       "entity_type": "File",
                     *       "source_name": "files",
                     *       "breadcrumbs": [
                     *         "Birds"
                     *       ],
                     *       "url": "https://notes.example.org/birds",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "true_as_of": "2026-01-31T09:30:00.000Z",
                     *       "entity_record_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "source_connection_name": "Notes folder",
                     *       "sync_job_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "first_written_at": "2026-01-31T09:30:00.000Z",
                     *       "last_written_at": "2026-01-31T09:30:00.000Z",
                     *       "metadata": {},
                     *       "total_chunks": 1,
                     *       "chunks": [
                     *         {
                     *           "position": 1,
                     *           "heading": "Birds",
                     *           "page": null,
                     *           "place": "text",
                     *           "line": 1,
                     *           "text": "The heron waits at the weir."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ContentDocument"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    grepContents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.
                 * @example user:ann@example.org, group:engineering
                 */
                "X-Principals"?: components["parameters"]["X-Principals"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "pattern": "heron|kingfisher"
                 *     }
                 */
                "application/json": components["schemas"]["GrepRequest"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "birds.md",
                     *           "entity_id": "birds.md",
                     *           "name": "Birds at the weir",
                     *           "entity_type": "File",
                     *           "source_name": "files",
                     *           "breadcrumbs": [
                     *             "Birds"
                     *           ],
                     *           "url": "https://notes.example.org/birds",
                     *           "updated_at": "2026-01-31T09:30:00.000Z",
                     *           "true_as_of": "2026-01-31T09:30:00.000Z",
                     *           "lines": [
                     *             {
                     *               "position": 1,
                     *               "line": "The heron waits at the weir."
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "searched": 1,
                     *       "looked_at": 1,
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["GrepAnswer"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    searchCollection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.
                 * @example user:ann@example.org, group:engineering
                 */
                "X-Principals"?: components["parameters"]["X-Principals"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": "Which bird waits at the weir?",
                 *       "limit": 5
                 *     }
                 */
                "application/json": components["schemas"]["SearchRequest"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Search-Degraded": components["headers"]["X-Search-Degraded"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "entity_id": "birds.md",
                     *           "source_name": "files",
                     *           "md_content": "The heron waits at the weir.",
                     *           "metadata": {
                     *             "name": "Birds at the weir",
                     *             "entity_type": "File",
                     *             "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *             "created_at": "2026-01-31T09:30:00.000Z",
                     *             "updated_at": "2026-01-31T09:30:00.000Z",
                     *             "heading": "Birds",
                     *             "page": null,
                     *             "place": "text",
                     *             "line": 1
                     *           },
                     *           "score": 0.93,
                     *           "breadcrumbs": [
                     *             "Birds"
                     *           ],
                     *           "url": "https://notes.example.org/birds",
                     *           "true_as_of": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "metadata": {
                     *         "degraded": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SearchAnswer"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    searchCollections: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.
                 * @example user:ann@example.org, group:engineering
                 */
                "X-Principals"?: components["parameters"]["X-Principals"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": "text"
                 *     }
                 */
                "application/json": {
                    /** @description Question or words to search for, at most 2,048 tokens of cl100k_base. */
                    query: string;
                    /**
                     * @description neural: by meaning; keyword: by words (BM25); hybrid: both.
                     * @default hybrid
                     * @enum {string}
                     */
                    retrieval_strategy?: "hybrid" | "neural" | "keyword";
                    filter?: {
                        [key: string]: unknown;
                    } | null;
                    /** @default 0 */
                    offset?: number;
                    /** @default 10 */
                    limit?: number;
                    /**
                     * @description Also searches for variations of the query.
                     * @default true
                     */
                    expand_query?: boolean;
                    /**
                     * @description Makes a filter of restrictions in the text of the query, such as `since 2024-03-01`. `metadata.interpreted_filter` shows it.
                     * @default false
                     */
                    interpret_filters?: boolean;
                    /**
                     * @description Reorders the best candidates by their text.
                     * @default true
                     */
                    rerank?: boolean;
                    /**
                     * @description Answers the query from the results.
                     * @default true
                     */
                    generate_answer?: boolean;
                    /**
                     * @description Drops results with a lower score. The score without `recency_bias` counts.
                     * @default 0
                     */
                    score_threshold?: number;
                    /**
                     * @description Share of recency in the score: 0 ignores dates, 1 orders by date alone.
                     * @default 0
                     */
                    recency_bias?: number;
                    /**
                     * @description Adds an explanation to each result.
                     * @default false
                     */
                    explain?: boolean;
                    /** @description The readable_ids of the collections to search, at most 50. Without it, the search covers all that the caller may read: the newest 50 where there are more. */
                    collections?: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Search-Degraded": components["headers"]["X-Search-Degraded"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "entity_id": "birds.md",
                     *           "source_name": "files",
                     *           "md_content": "The heron waits at the weir.",
                     *           "metadata": {
                     *             "name": "My notes",
                     *             "entity_type": "File",
                     *             "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *             "created_at": "2026-01-31T09:30:00.000Z",
                     *             "updated_at": "2026-01-31T09:30:00.000Z",
                     *             "heading": "Birds",
                     *             "page": null,
                     *             "place": "text",
                     *             "line": 1
                     *           },
                     *           "score": 0.93,
                     *           "breadcrumbs": [
                     *             "Birds"
                     *           ],
                     *           "url": "https://notes.example.org/birds",
                     *           "true_as_of": "2026-01-31T09:30:00.000Z",
                     *           "collection": {
                     *             "readable_id": "my-notes",
                     *             "name": "My notes"
                     *           }
                     *         }
                     *       ],
                     *       "metadata": {
                     *         "degraded": []
                     *       }
                     *     }
                     */
                    "application/json": {
                        results: {
                            /** @description The id of the chunk. */
                            entity_id: string;
                            source_name: string;
                            md_content: string;
                            /** @description These fields, and the fields of the source. A field of the source that has one of these names is shown as `source.<name>`. A filter names every field of the source `metadata.<name>`. */
                            metadata: {
                                name: string;
                                entity_type: string;
                                source_connection_id: string;
                                created_at: string | null;
                                updated_at: string | null;
                                heading: string | null;
                                page: number | null;
                                /** @description Page, slide, sheet or time of the document at which the passage begins: `page 12`, `slide 3`, `sheet Budget`, `time 00:12:04`; null for a document without such parts. */
                                place: string | null;
                                /** @description Line of the text of the record in which the passage begins, counted from 1; null for live results, and until a record from before an upgrade is read again. */
                                line: number | null;
                            } & {
                                [key: string]: unknown;
                            };
                            score: number;
                            /** @description Names from the root to the parent. */
                            breadcrumbs: string[];
                            url: string;
                            /** @description As of when the record is true: `true_as_of` of its source connection; null for a result of a source that is searched live. */
                            true_as_of: string | null;
                            explanation?: components["schemas"]["Explanation"];
                            collection: {
                                readable_id: string;
                                name: string;
                            };
                        }[];
                        /** @description Generated answer, present only when `generate_answer` is true. */
                        completion?: string;
                        metadata: {
                            /** @description Options of the request that no model has served: none is configured, none has answered, or the search found nothing. A built-in method served them. `embedding`: the embedder has not answered, and nothing was compared by meaning. */
                            degraded: ("expand_query" | "interpret_filters" | "rerank" | "generate_answer" | "embedding")[];
                            /** @description Usage of the language models that were asked for this search. */
                            usage?: {
                                model: string;
                                calls: number;
                                input_tokens: number;
                                output_tokens: number;
                            }[];
                            /** @description The filter that `interpret_filters` has found in the query. */
                            interpreted_filter?: {
                                [key: string]: unknown;
                            };
                            /** @description One entry for each source that is searched live; absent when there is none. */
                            federated?: {
                                source_connection_id: string;
                                source_name: string;
                                /** @enum {string} */
                                status: "answered" | "failed" | "timeout";
                                /** @description Number of found results that match the filter. */
                                results: number;
                                /** @description Reason why the source has not answered. */
                                message?: string;
                            }[];
                            /** @description Number of collections that the caller may read and that were not searched, because there are too many; absent when all were searched. */
                            collections_left_out?: number;
                        };
                    };
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getFilterSchema: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    agenticSearch: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.
                 * @example user:ann@example.org, group:engineering
                 */
                "X-Principals"?: components["parameters"]["X-Principals"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": "Which bird waits at the weir?",
                 *       "mode": "fast"
                 *     }
                 */
                "application/json": components["schemas"]["AgenticRequest"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Search-Degraded": components["headers"]["X-Search-Degraded"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "entity_id": "birds.md",
                     *           "name": "Birds at the weir",
                     *           "relevance_score": 0.93,
                     *           "textual_representation": "The heron waits at the weir.",
                     *           "breadcrumbs": [
                     *             {
                     *               "entity_id": "birds.md",
                     *               "name": "Birds at the weir",
                     *               "entity_type": "File"
                     *             }
                     *           ],
                     *           "place": "text",
                     *           "web_url": "https://notes.example.org/birds",
                     *           "created_at": "2026-01-31T09:30:00.000Z",
                     *           "updated_at": "2026-01-31T09:30:00.000Z",
                     *           "service_system_metadata": {
                     *             "source_name": "files",
                     *             "entity_type": "File",
                     *             "sync_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *             "sync_job_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *             "chunk_index": 1,
                     *             "original_entity_id": "birds.md"
                     *           },
                     *           "access": {
                     *             "viewers": [
                     *               "user:ann@example.org"
                     *             ],
                     *             "is_public": false
                     *           },
                     *           "raw_source_fields": {}
                     *         }
                     *       ],
                     *       "answer": {
                     *         "text": "The heron waits at the weir.",
                     *         "citations": [
                     *           {
                     *             "entity_id": "birds.md"
                     *           }
                     *         ]
                     *       },
                     *       "metadata": {
                     *         "degraded": [],
                     *         "quality_score": 0.8,
                     *         "stopped_by": "answered",
                     *         "usage": {
                     *           "searches": 1,
                     *           "reads": 1,
                     *           "model": null,
                     *           "llm_calls": 1,
                     *           "input_tokens": 1,
                     *           "output_tokens": 1
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AgenticAnswer"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    streamAgenticSearch: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.
                 * @example user:ann@example.org, group:engineering
                 */
                "X-Principals"?: components["parameters"]["X-Principals"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": "Which bird waits at the weir?",
                 *       "mode": "fast"
                 *     }
                 */
                "application/json": components["schemas"]["AgenticRequest"];
            };
        };
        responses: {
            /** @description Events; the field `type` says which event it is. */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "planning",
                     *       "reasoning": "One search may answer the question.",
                     *       "strategy": "hybrid"
                     *     }
                     */
                    "text/event-stream": components["schemas"]["AgenticPlanning"] | components["schemas"]["AgenticSearched"] | components["schemas"]["AgenticEvaluation"] | components["schemas"]["AgenticDone"] | components["schemas"]["StreamError"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    checkCollection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repair": false
                 *     }
                 */
                "application/json": components["schemas"]["DoctorRequest"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "collection_readable_id": "my-notes",
                     *       "checked": {
                     *         "entities": 1,
                     *         "chunks": 1,
                     *         "words": 1,
                     *         "vectors": 1,
                     *         "in_memory": 1
                     *       },
                     *       "pending": {
                     *         "source_connections": 1,
                     *         "entities": 1
                     *       },
                     *       "problems": [],
                     *       "run": null
                     *     }
                     */
                    "application/json": components["schemas"]["DoctorReport"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    reindexCollection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "kind": "reindex",
                     *       "status": "COMPLETED",
                     *       "collection_readable_id": "my-notes",
                     *       "entities_total": 1,
                     *       "entities_done": 1,
                     *       "entities_rewritten": 1,
                     *       "entities_failed": 0,
                     *       "problems": [],
                     *       "errors": [],
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "completed_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceRun"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listMaintenanceRuns: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                readable_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "kind": "reindex",
                     *         "status": "COMPLETED",
                     *         "collection_readable_id": "my-notes",
                     *         "entities_total": 1,
                     *         "entities_done": 1,
                     *         "entities_rewritten": 1,
                     *         "entities_failed": 0,
                     *         "problems": [],
                     *         "errors": [],
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "created_by_email": "ann@example.org",
                     *         "started_at": "2026-01-31T09:30:00.000Z",
                     *         "completed_at": "2026-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["MaintenanceRun"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getMaintenanceRun: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                readable_id: string;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "kind": "reindex",
                     *       "status": "COMPLETED",
                     *       "collection_readable_id": "my-notes",
                     *       "entities_total": 1,
                     *       "entities_done": 1,
                     *       "entities_rewritten": 1,
                     *       "entities_failed": 0,
                     *       "problems": [],
                     *       "errors": [],
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "created_by_email": "ann@example.org",
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "completed_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceRun"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getSystemState: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "0.1.0",
                     *       "node_version": "24.20.0",
                     *       "command_line": "text",
                     *       "roles": [
                     *         "api"
                     *       ],
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "uptime_seconds": 1,
                     *       "not_ready": [],
                     *       "database": {
                     *         "kind": "sqlite",
                     *         "version": "0.1.0",
                     *         "size_bytes": 4194304,
                     *         "newest_migration": "0001-start"
                     *       },
                     *       "index": {
                     *         "words": "memory",
                     *         "vectors": "scan",
                     *         "records": 1,
                     *         "passages": 1,
                     *         "without_vectors": [],
                     *         "to_extract": [
                     *           {
                     *             "kind": "text",
                     *             "records": 1
                     *           }
                     *         ]
                     *       },
                     *       "models": {
                     *         "embedder": {
                     *           "model": "built-in",
                     *           "is_built_in": false,
                     *           "dimensions": 1
                     *         },
                     *         "reranker": {
                     *           "model": "built-in",
                     *           "is_built_in": false
                     *         },
                     *         "language_models": [
                     *           "openai/gpt-5"
                     *         ],
                     *         "degraded": []
                     *       },
                     *       "memory": {
                     *         "rss_bytes": 268435456,
                     *         "limit_bytes": 8589934592,
                     *         "index_budget_bytes": 1073741824,
                     *         "max_search_threads": 1
                     *       },
                     *       "jobs": {
                     *         "syncs_running": 1,
                     *         "syncs_waiting": 1,
                     *         "maintenance": [
                     *           {
                     *             "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *             "kind": "reindex",
                     *             "status": "PENDING",
                     *             "collection_readable_id": "my-notes",
                     *             "entities_total": 1,
                     *             "entities_done": 1
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SystemState"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listBackups: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "2026-01-31T09-30-00Z-000003.quarry",
                     *         "status": "COMPLETED",
                     *         "trigger": "request",
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "started_at": "2026-01-31T09:30:00.000Z",
                     *         "ended_at": "2026-01-31T09:30:00.000Z",
                     *         "size_bytes": 4194304,
                     *         "tables": 1,
                     *         "rows": 1,
                     *         "digest": "5774aa45",
                     *         "error": null,
                     *         "is_available": false,
                     *         "check": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Backup"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    createBackup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "2026-01-31T09-30-00Z-000003.quarry",
                     *       "status": "COMPLETED",
                     *       "trigger": "request",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "ended_at": "2026-01-31T09:30:00.000Z",
                     *       "size_bytes": 4194304,
                     *       "tables": 1,
                     *       "rows": 1,
                     *       "digest": "5774aa45",
                     *       "error": null,
                     *       "is_available": false,
                     *       "check": null
                     *     }
                     */
                    "application/json": components["schemas"]["Backup"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getBackup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "2026-01-31T09-30-00Z-000003.quarry",
                     *       "status": "COMPLETED",
                     *       "trigger": "request",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "ended_at": "2026-01-31T09:30:00.000Z",
                     *       "size_bytes": 4194304,
                     *       "tables": 1,
                     *       "rows": 1,
                     *       "digest": "5774aa45",
                     *       "error": null,
                     *       "is_available": false,
                     *       "check": null
                     *     }
                     */
                    "application/json": components["schemas"]["Backup"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    deleteBackup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "2026-01-31T09-30-00Z-000003.quarry",
                     *       "status": "COMPLETED",
                     *       "trigger": "request",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "ended_at": "2026-01-31T09:30:00.000Z",
                     *       "size_bytes": 4194304,
                     *       "tables": 1,
                     *       "rows": 1,
                     *       "digest": "5774aa45",
                     *       "error": null,
                     *       "is_available": false,
                     *       "check": null
                     *     }
                     */
                    "application/json": components["schemas"]["Backup"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    downloadBackup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description The part of the file that is wanted, as one range of bytes. Without it, the answer has the whole file.
                 * @example bytes=1048576-
                 */
                Range?: components["parameters"]["Range"];
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example the bytes of the file */
                    "application/octet-stream": string;
                };
            };
            /** @description The part of the file. */
            206: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example the bytes of the file */
                    "application/octet-stream": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    checkBackup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "2026-01-31T09-30-00Z-000003.quarry",
                     *       "status": "COMPLETED",
                     *       "trigger": "request",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "ended_at": "2026-01-31T09:30:00.000Z",
                     *       "size_bytes": 4194304,
                     *       "tables": 1,
                     *       "rows": 1,
                     *       "digest": "5774aa45",
                     *       "error": null,
                     *       "is_available": false,
                     *       "check": null
                     *     }
                     */
                    "application/json": components["schemas"]["Backup"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listWebhookSubscriptions: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "url": "https://example.org/quarry-events",
                     *         "filter_types": [
                     *           "sync.completed"
                     *         ],
                     *         "description": null,
                     *         "disabled": false,
                     *         "disabled_at": null,
                     *         "disabled_reason": null,
                     *         "health_status": "healthy",
                     *         "created_at": "2026-01-31T09:30:00.000Z",
                     *         "updated_at": "2026-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WebhookSubscription"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    createWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.org/quarry-events",
                 *       "event_types": [
                 *         "sync.completed",
                 *         "sync.failed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewWebhookSubscription"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "url": "https://example.org/quarry-events",
                     *       "filter_types": [
                     *         "sync.completed"
                     *       ],
                     *       "description": null,
                     *       "disabled": false,
                     *       "disabled_at": null,
                     *       "disabled_reason": null,
                     *       "health_status": "healthy",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getWebhookSubscription: {
        parameters: {
            query?: {
                /** @description Show the signing secret too; needs the role member. */
                include_secret?: "true" | "false";
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "url": "https://example.org/quarry-events",
                     *       "filter_types": [
                     *         "sync.completed"
                     *       ],
                     *       "description": null,
                     *       "disabled": false,
                     *       "disabled_at": null,
                     *       "disabled_reason": null,
                     *       "health_status": "healthy",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z",
                     *       "delivery_attempts": [
                     *         {
                     *           "id": "attempt-1",
                     *           "message_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "event_type": "sync.completed",
                     *           "endpoint_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *           "status": "success",
                     *           "response": "ok",
                     *           "response_status_code": 200,
                     *           "error": null,
                     *           "timestamp": "2026-01-31T09:30:00.000Z",
                     *           "duration_ms": 120,
                     *           "url": "https://example.org/quarry-events"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSubscriptionDetail"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    deleteWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "url": "https://example.org/quarry-events",
                     *       "filter_types": [
                     *         "sync.completed"
                     *       ],
                     *       "description": null,
                     *       "disabled": false,
                     *       "disabled_at": null,
                     *       "disabled_reason": null,
                     *       "health_status": "healthy",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    updateWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.org/quarry-events"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookSubscriptionPatch"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "url": "https://example.org/quarry-events",
                     *       "filter_types": [
                     *         "sync.completed"
                     *       ],
                     *       "description": null,
                     *       "disabled": false,
                     *       "disabled_at": null,
                     *       "disabled_reason": null,
                     *       "health_status": "healthy",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "url": "https://example.org/quarry-events",
                     *       "filter_types": [
                     *         "sync.completed"
                     *       ],
                     *       "description": null,
                     *       "disabled": false,
                     *       "disabled_at": null,
                     *       "disabled_reason": null,
                     *       "health_status": "healthy",
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "updated_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    testWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "event_type": "sync.completed",
                     *       "payload": {
                     *         "type": "sync.completed"
                     *       },
                     *       "timestamp": "2026-01-31T09:30:00.000Z",
                     *       "channels": [
                     *         "default"
                     *       ],
                     *       "tags": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookMessage"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    recoverWebhookMessages: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-01-31T09:30:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookRecoverRequest"];
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "status": "running",
                     *       "since": "2026-01-31T09:30:00.000Z",
                     *       "until": "2026-01-31T09:30:00.000Z",
                     *       "messages": 1,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "completed_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookRecovery"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getWebhookRecovery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                id: string;
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "status": "running",
                     *       "since": "2026-01-31T09:30:00.000Z",
                     *       "until": "2026-01-31T09:30:00.000Z",
                     *       "messages": 1,
                     *       "created_at": "2026-01-31T09:30:00.000Z",
                     *       "completed_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookRecovery"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    listWebhookMessages: {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                skip?: number;
                /** @description Maximum number of items. */
                limit?: number;
                /** @description Event types to list; repeat the parameter for several. All types when omitted. */
                event_types?: ("sync.pending" | "sync.running" | "sync.completed" | "sync.failed" | "sync.cancelled" | "source_connection.created" | "source_connection.auth_completed" | "source_connection.deleted" | "collection.created" | "collection.updated" | "collection.deleted" | "test") | ("sync.pending" | "sync.running" | "sync.completed" | "sync.failed" | "sync.cancelled" | "source_connection.created" | "source_connection.auth_completed" | "source_connection.deleted" | "collection.created" | "collection.updated" | "collection.deleted" | "test")[];
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *         "event_type": "sync.completed",
                     *         "payload": {
                     *           "type": "sync.completed"
                     *         },
                     *         "timestamp": "2026-01-31T09:30:00.000Z",
                     *         "channels": [
                     *           "default"
                     *         ],
                     *         "tags": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WebhookMessage"][];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    getWebhookMessage: {
        parameters: {
            query?: {
                /** @description Show its attempts at all endpoints too. */
                include_attempts?: "true" | "false";
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
            };
            path: {
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "event_type": "sync.completed",
                     *       "payload": {
                     *         "type": "sync.completed"
                     *       },
                     *       "timestamp": "2026-01-31T09:30:00.000Z",
                     *       "channels": [
                     *         "default"
                     *       ],
                     *       "tags": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookMessageDetail"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    callToolServer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description The readable_id of the only collection that the tools search. Without it, they search all that the caller may read.
                 * @example my-notes
                 */
                "X-Collection-Readable-ID"?: components["parameters"]["X-Collection-Readable-ID"];
                /**
                 * @description The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.
                 * @example user:ann@example.org, group:engineering
                 */
                "X-Principals"?: components["parameters"]["X-Principals"];
                /**
                 * @description The id of the session, which the answer to `initialize` has given.
                 * @example 0192f0c4-7a00-7000-8000-000000000002
                 */
                "Mcp-Session-Id"?: components["parameters"]["Mcp-Session-Id"];
                /**
                 * @description The revision of the protocol that the client speaks.
                 * @example 2025-11-25
                 */
                "MCP-Protocol-Version"?: components["parameters"]["MCP-Protocol-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": 1,
                 *       "method": "tools/list"
                 *     }
                 */
                "application/json": unknown;
            };
        };
        responses: {
            /** @description A message of JSON-RPC, or a stream of them if the client accepts it. */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "Mcp-Session-Id": components["headers"]["Mcp-Session-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jsonrpc": "2.0",
                     *       "id": 1,
                     *       "result": {}
                     *     }
                     */
                    "application/json": unknown;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    endToolServerSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description The readable_id of the only collection that the tools search. Without it, they search all that the caller may read.
                 * @example my-notes
                 */
                "X-Collection-Readable-ID"?: components["parameters"]["X-Collection-Readable-ID"];
                /**
                 * @description The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.
                 * @example user:ann@example.org, group:engineering
                 */
                "X-Principals"?: components["parameters"]["X-Principals"];
                /**
                 * @description The id of the session, which the answer to `initialize` has given.
                 * @example 0192f0c4-7a00-7000-8000-000000000002
                 */
                "Mcp-Session-Id"?: components["parameters"]["Mcp-Session-Id"];
                /**
                 * @description The revision of the protocol that the client speaks.
                 * @example 2025-11-25
                 */
                "MCP-Protocol-Version"?: components["parameters"]["MCP-Protocol-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "Mcp-Session-Id": components["headers"]["Mcp-Session-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    pushEntities: {
        parameters: {
            query?: {
                /** @description If true, the answer comes when the job has ended, or after 30 seconds. */
                wait?: "true" | "false";
            };
            header?: {
                /**
                 * @description Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.
                 * @example my-request-1
                 */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /**
                 * @description The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.
                 * @example 0192f0c4-7a00-7000-8000-000000000001
                 */
                "X-Organization-ID"?: components["parameters"]["X-Organization-ID"];
                /**
                 * @description Makes it safe to repeat a push: at most 255 characters of ASCII. Within 24 hours, the same key with the same body on this connection is the same job, and the answer has that job as it is now.
                 * @example orders-2026-11-28
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "entities": [
                 *         {
                 *           "entity_id": "note-1",
                 *           "name": "Birds at the weir",
                 *           "text": "The heron waits at the weir.",
                 *           "access": {
                 *             "viewers": [
                 *               "user:ann@example.org"
                 *             ],
                 *             "is_public": false
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Push"];
                /**
                 * @example {
                 *       "file": "text"
                 *     }
                 */
                "multipart/form-data": {
                    /** @description The file. Its name says of which kind it is. */
                    file: string;
                    /** @description The entity as JSON, without a text. Its id and its name are the name of the file when omitted. */
                    entity?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "status": "COMPLETED",
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "completed_at": "2026-01-31T09:30:00.000Z",
                     *       "duration_seconds": 4.2,
                     *       "entities_inserted": 120,
                     *       "entities_updated": 0,
                     *       "entities_deleted": 0,
                     *       "entities_failed": 0,
                     *       "deletions_held_back": 1,
                     *       "entities_by_type": null,
                     *       "error": null,
                     *       "error_details": null,
                     *       "waits_for": null,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["SourceConnectionJob"];
                };
            };
            /** @description Default Response */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "source_connection_id": "0192f0c4-7a00-7000-8000-000000000003",
                     *       "status": "COMPLETED",
                     *       "started_at": "2026-01-31T09:30:00.000Z",
                     *       "completed_at": "2026-01-31T09:30:00.000Z",
                     *       "duration_seconds": 4.2,
                     *       "entities_inserted": 120,
                     *       "entities_updated": 0,
                     *       "entities_deleted": 0,
                     *       "entities_failed": 0,
                     *       "deletions_held_back": 1,
                     *       "entities_by_type": null,
                     *       "error": null,
                     *       "error_details": null,
                     *       "waits_for": null,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["SourceConnectionJob"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
}
