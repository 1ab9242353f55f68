{{- /* These parts are the same in all pods. Their lines have the indentation of a pod in a Deployment or a Job. */ -}}
{{- define "quarry.pod" }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext:
        runAsNonRoot: true
        runAsUser: 65534
        runAsGroup: 65534
        fsGroup: 65534
        seccompProfile:
          type: RuntimeDefault
      volumes:
        - name: secrets
          secret:
            secretName: {{ .Values.secret.name }}
            defaultMode: 0440
        - name: data
          emptyDir: {}
        - name: tmp
          emptyDir: {}
{{- end }}
{{- define "quarry.container" }}
          image: {{ printf "%s:%s" .Values.image.repository .Values.image.tag | printf "%q" }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
          volumeMounts:
            - name: secrets
              mountPath: /run/secrets/quarry
              readOnly: true
            - name: data
              mountPath: /data
            - name: tmp
              mountPath: /tmp
{{- end }}
{{- define "quarry.settings" }}
            - name: QUARRY_MIGRATE
              value: "false"
{{- range $name, $key := .Values.secret.settings }}
            - name: {{ $name }}_FILE
              value: {{ printf "/run/secrets/quarry/%s" $key | printf "%q" }}
{{- end }}
{{- range $name, $value := .Values.settings }}
            - name: {{ $name }}
              value: {{ printf "%q" $value }}
{{- end }}
{{- end }}
{{- define "quarry.metrics-settings" }}
{{- if .Values.metrics.enabled }}
            - name: QUARRY_METRICS_HOST
              value: 0.0.0.0
            - name: QUARRY_METRICS_PORT
              value: "9464"
{{- end }}
{{- end }}
{{- define "quarry.metrics-port" }}
{{- if .Values.metrics.enabled }}
            - name: metrics
              containerPort: 9464
{{- end }}
{{- end }}
{{- define "quarry.resources" }}
          resources:
            requests:
{{- range $name, $amount := .requests }}
              {{ $name }}: {{ printf "%q" $amount }}
{{- end }}
            limits:
{{- range $name, $amount := .limits }}
              {{ $name }}: {{ printf "%q" $amount }}
{{- end }}
{{- end }}
