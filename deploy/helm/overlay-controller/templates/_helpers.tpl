{{- define "overlay-controller.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "overlay-controller.selector" -}}
app.kubernetes.io/name: overlay-controller
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "overlay-controller.labels" -}}
{{ include "overlay-controller.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "overlay-controller.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "overlay-controller.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "overlay-controller.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The variables that name the mounted secrets. */}}
{{- define "overlay-controller.secretEnv" -}}
- name: SECRET_KEY_FILE
  value: /secrets/secret-key/secret-key
{{- if .Values.secrets.storage }}
- name: OVERLAY_STORAGE_FILE
  value: /secrets/storage/storage
{{- end }}
{{- if .Values.secrets.administrator }}
- name: ADMIN_PASSWORD_FILE
  value: /secrets/administrator/password
{{- end }}
{{- end }}

{{- define "overlay-controller.secretMounts" -}}
{{- range $name, $secret := .Values.secrets }}
{{- if $secret }}
- name: {{ $name | kebabcase }}
  mountPath: /secrets/{{ $name | kebabcase }}
  readOnly: true
{{- end }}
{{- end }}
{{- end }}

{{- define "overlay-controller.secretVolumes" -}}
{{- range $name, $secret := .Values.secrets }}
{{- if $secret }}
- name: {{ $name | kebabcase }}
  secret:
    secretName: {{ $secret }}
    defaultMode: 0440
{{- end }}
{{- end }}
- name: tmp
  emptyDir: {}
{{- end }}

{{/* The pod of a controller. The volume `data` is added by the workload. */}}
{{- define "overlay-controller.pod" -}}
metadata:
  labels:
    {{- include "overlay-controller.labels" . | nindent 4 }}
    app.kubernetes.io/component: controller
  annotations:
    checksum/options: {{ .Values.options | toJson | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "overlay-controller.name" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 45
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- include "overlay-controller.podSecurityContext" . | nindent 4 }}
  containers:
    - name: controller
      image: {{ include "overlay-controller.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        {{- include "overlay-controller.securityContext" . | nindent 8 }}
      env:
        {{- include "overlay-controller.secretEnv" . | nindent 8 }}
        - name: OVERLAY_CONFIG
          value: /etc/overlay-controller/overlay.json
        - name: OVERLAY_ADDRESS
          value: {{ .Values.address | quote }}
        {{- if .Values.secrets.storage }}
        - name: OVERLAY_MIGRATIONS
          value: wait
        {{- end }}
        {{- if .Values.metrics.enabled }}
        - name: OVERLAY_METRICS
          value: "0.0.0.0:{{ .Values.metrics.port }}"
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - name: https
          containerPort: 1280
        {{- if .Values.metrics.enabled }}
        - name: metrics
          containerPort: {{ .Values.metrics.port }}
        {{- end }}
      startupProbe:
        httpGet: { path: /health, port: https, scheme: HTTPS }
        periodSeconds: 2
        failureThreshold: 150
      livenessProbe:
        httpGet: { path: /health, port: https, scheme: HTTPS }
        timeoutSeconds: 5
      readinessProbe:
        httpGet: { path: /ready, port: https, scheme: HTTPS }
        periodSeconds: 5
        timeoutSeconds: 5
      lifecycle:
        preStop:
          # Until the endpoint is gone everywhere, new connections still arrive.
          exec:
            command: [sleep, '5']
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: options
          mountPath: /etc/overlay-controller
          readOnly: true
        - name: tmp
          mountPath: /tmp
        {{- include "overlay-controller.secretMounts" . | nindent 8 }}
  volumes:
    - name: options
      configMap:
        name: {{ include "overlay-controller.name" . }}
    {{- include "overlay-controller.secretVolumes" . | nindent 4 }}
    {{- if .Values.secrets.storage }}
    - name: data
      emptyDir: {}
    {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "overlay-controller.selector" . | nindent 10 }}
          app.kubernetes.io/component: controller
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
